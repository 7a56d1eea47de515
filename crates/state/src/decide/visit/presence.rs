//! Whether a page that is visited again is gone, or back.
//!
//! An answer is without the page when it is 404 or 410, reads like an error page, would have a kept page dropped
//! (an empty one, a shell without its scripts, a notice in the place of all pages), or redirects. It is noted, and
//! counts where other pages of the host answer as themselves: that is seen by whoever plans visits, and stands in
//! what a visit is compared with. Where as many answers have counted as the configuration asks for, the next one of
//! the kind makes the page gone. A time-out, a server error, a refusal or a wall says nothing.

use again::Absence;
use again::absence::{Presence, Sign};
use archive::{AbsenceRecord, DueRecord, VisitRecord};
use outcome::Change;
use xxhash_rust::xxh3::xxh3_64;

use crate::state::State;

impl State {
    /// Whether the next answer without the page's text, that is no redirect, makes it gone.
    pub(super) fn is_settled(&self, due: &DueRecord) -> bool {
        absence_of(due, 0).is_settled(self.policy.gone)
    }

    /// Notes whether the page is gone, or back; by `sign` where that is not what the change says.
    pub(super) fn note_presence(
        &self,
        visit: &mut VisitRecord,
        due: &DueRecord,
        sign: Option<Sign>,
        now_ms: u64,
    ) {
        let sign = sign.unwrap_or_else(|| sign_of(visit, due));
        let points_to = visit.target().filter(|_| visit.change == Change::Moved);
        let at = points_to.map_or(0, |url| xxh3_64(url.as_bytes()));
        let mut absence = match sign {
            Sign::Missing => absence_of(due, at),
            Sign::There | Sign::Nothing => absence_of(due, due.absence.at),
        };
        let presence = absence.see(sign, now_ms, self.policy.gone);
        match presence {
            Presence::Gone => visit.change = Change::Gone,
            Presence::Back if visit.version().is_some() => visit.change = Change::Back,
            Presence::Same | Presence::Missing | Presence::Awaits | Presence::Back => {}
        }
        visit.awaits = presence == Presence::Awaits;
        visit.absence = AbsenceRecord {
            answers: absence.answers(),
            last_ms: absence.last_ms(),
            gone: absence.is_gone(),
            at: match sign {
                Sign::Missing => at,
                Sign::There => 0,
                Sign::Nothing => due.absence.at,
            },
        };
    }
}

/// What the change says of the page's absence.
fn sign_of(visit: &VisitRecord, due: &DueRecord) -> Sign {
    let is_kept_off = visit.change == Change::Moved || visit.version().is_none();
    match &visit.change {
        // A page that was gone is there again when it can be read.
        change if due.absence.gone && is_kept_off && *change != Change::Unclear => Sign::Nothing,
        Change::Unclear => match visit.fetch.as_ref().map_or(0, |fetch| fetch.status) {
            404 | 410 => Sign::Missing,
            _ => Sign::Nothing,
        },
        Change::Moved if visit.was.is_indexed() && !visit.gives_way => Sign::Missing,
        Change::New
        | Change::Unchanged
        | Change::Touched
        | Change::Changed
        | Change::Moved
        | Change::Gone
        | Change::Back
        | Change::Unknown(_) => Sign::There,
    }
}

/// What was noted of the page's absence, by answers that pointed there; by none where they pointed elsewhere.
fn absence_of(due: &DueRecord, at: u64) -> Absence {
    let AbsenceRecord {
        answers,
        last_ms,
        gone,
        at: pointed_to,
    } = due.absence;
    match pointed_to == at || gone {
        true => Absence::resume(answers, last_ms, gone),
        false => Absence::default(),
    }
}

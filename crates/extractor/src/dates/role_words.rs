//! The words that [`role`](super::role) knows, in lower case, parted by `|`.

/// Words for publishing, in lower case.
pub(super) const OF_PUBLISHING: &str = "публикация|published|posted|publication|released|issued|written|created|submitted|reprinted|发布|\
    发表|發布|發表|刊登|刊发|发文|成文|印发|发稿|登载|首发|创建于|公開|掲載|投稿|作成|配信|입력|등록|작성|게시|게재|승인|발행|veröffentlicht|publié|\
    publicado|pubblicato|опубликовано|opublikowano|printed in|publiée|publicada|pubblicata|\
    publicación|publicação|gepostet|geplaatst|gepubliceerd|publicerad|publisert|udgivet|julkaistu|\
    publicat|опубликована|дата публикации|опубліковано|публікація|publikacja|opublikowana|\
    data publikacji|publikováno|vydáno|zveřejněno|δημοσιεύτηκε|δημοσιεύθηκε|δημοσίευση|αναρτήθηκε|\
    yayınlanma|yayınlandı|yayımlanma|yayımlandı|yayın tarihi|نُشر|نشر|تاريخ النشر|تم النشر|انتشار|\
    منتشر شده|פורסם|תאריך פרסום|प्रकाशित|เผยแพร|โพสต์|ចេញផ្សាយ|đăng|xuất bản|ngày đăng|diterbitkan|\
    dipublikasikan|diposting|terbit|النشر|erschienen|eingestellt|freigegeben|publikationsdatum|\
    erstellt|mis en ligne|ajouté|rédigé|posté|parution|redactado|postado|data di pubblicazione|\
    publicatiedatum|toegevoegd|inlagd|publicering|lagt ut|oprettet|offentliggjort|julkaisupäivä|\
    lisätty|publicació|publicada el|размещено|добавлено|написано|создано|публикуван|додано|\
    розміщено|створено|dodano|utworzono|přidáno|vytvořeno|publikované|zverejnené|uverejnené|\
    pridané|közzétéve|megjelent|publikálva|feltöltve|létrehozva|publicării|postat|adăugat|\
    objavljeno|objavljen|objavljena|објављено|објавено|публикувано|avaldatud|postitatud|lisatud|\
    publicēts|publicēta|pievienots|paskelbta|publikuota|argitaratua|publikuar|апублікавана|\
    diterbitkan pada|imechapishwa|gepubliseer|cyhoeddwyd|foilsithe|dərc olunub|жарияланды|প্রকাশিত|\
    প্রকাশ|வெளியிடப்பட்டது|شائع|اشاعت|შექმნილია|გამოქვეყნდა|հրապարակվել|eklenme|oluşturulma|ekleme|\
    καταχωρήθηκε|تاریخ درج|ارسال شده|הועלה|नवीनतम प्रकाशन|ลงวันที่|ประกาศเมื่อ|วันที่เผยแพร่|\
    dibuat|diunggah|disiarkan|ngày tạo|paskelbtas|įdėta|ievietots|ievietota|publicerat|publiceret|birt|útgefið|\
    objavljen|datum objave|zverejnené|vydané|publikované dňa|közzététel|megjelenés|megjelenés dátuma";

/// Words that are labels of a day of publishing, and other words at the beginning of a sentence: "新闻自由日", "Online
/// sales began on".
pub(super) const OF_LABELS: &str = "uploaded|added|filed|dated|sent|online|online seit|paru|subido|inserito|skapad|objava|birt|添加|\
    录入|錄入|上传|上傳|撰写|撰稿|公布|公告|签发|簽發|生成|上线|推送|编写|写作|寫作|创作|整理|转载|轉載|提交|发帖|發帖|发送|采编|收录|新闻|文章|日志|稿件|信息|\
    更新公開|登録|記事|작성일시|기사|등재|보도|公开|出版|刊出|审核|審核|来稿|來稿|発行|発表|公表|발표|송고|배포|eintrag|eintrag vom|\
    pressemitteilung|pressemitteilung vom|fecha de la noticia|data da notícia|data notizia|\
    post date|document date|entry date|press release";

/// Words for a change of the text.
pub(super) const OF_CHANGES: &str = "updated|modified|edited|revised|更新|修改|修订|修訂|最后编辑|最後編輯|编辑于|編輯於|编辑时间|編輯時間|本帖最后由|本帖最後由|最終編集|編集日|수정|업데이트|갱신|\
    aktualisiert|mis à jour|modifié|actualizado|aggiornato|обновлено|updatet|zuletzt geändert|geändert|\
    mise à jour|modifiée|actualizada|actualización|atualizado|atualizada|atualização|modificado|aggiornata|\
    aggiornamento|modificato|bijgewerkt|gewijzigd|uppdaterad|ändrad|oppdatert|opdateret|ændret|päivitetty|\
    muokattu|actualizat|обновлена|обновление|изменено|редактировалось|оновлено|оновлення|змінено|\
    aktualizacja|zaktualizowano|edytowano|modyfikacja|aktualizováno|aktualizace|upraveno|změněno|\
    ενημερώθηκε|ενημέρωση|τροποποιήθηκε|güncelleme|güncellendi|güncellenme|düzenleme|تحديث|تم التحديث|تعديل|\
    به‌روزرسانی|بروزرسانی|به روز رسانی|ویرایش|עודכן|עדכון|अपडेट|अद्यतन|संशोधित|อัปเดต|อัพเดท|อัพเดต|แก้ไข|\
    ปรับปรุง|កែប្រែ|ធ្វើបច្ចុប្បន្នភាព|cập nhật|sửa đổi|diperbarui|pembaruan|diubah|التحديث|ажурирано|\
    ενημερωθηκε|frissítve|frissült|módosítva|utolsó frissítés|atnaujinta|atnaujintas|pakeista|atjaunots|atjaunota|\
    labots|uuendatud|muudetud|ažurirano|izmijenjeno|izmenjeno|posodobljeno|spremenjeno|aktualizované|upravené|zmenené|\
    actualitzat|actualització|uppfært|breytt|modificat|dernière modification|zuletzt bearbeitet|bearbeitet|güncel|\
    измена|промена|промяна|uppdaterat|sidst ændret|endret|muutettu";

/// Words for the making of a copy: when it was printed, fetched or looked up; for terms; for the lives of
/// people; for what a text announces; and for the present, as forums show it.
pub(super) const OF_OTHERS: &str = "currently|now is|aktuelle zeit|nous sommes le|fecha actual|сейчас|сегодня|printed|print date|retrieved|\
    accessed|downloaded|mirrored|crawled|fetched|archived|打印|列印|印刷|下载|下載|抓取|访问|訪問|镜像|引用|检索|檢索|查阅|查閱|閲覧|推荐文章|\
    推薦文章|마감|until|till|through|deadline|deadline is|valid|valid from|expires|expiry|expiration|due|ends|\
    closes|closing|starts|begins|opens|effective|event|by|since|joined|registered|born|截止|截至|至|有效期|到期|自|从|\
    施行|实施|注册|加入|入会|出生|生于|报名时间|考试时间|举办时间|举行时间|活动时间|会议时间|开始时间|结束时间|bis|bis zum|jusqu'au|jusqu’au|hasta|\
    hasta el|até|fino al|tot|do dnia|ważne do|do|до|έως|μέχρι|kadar|حتى|تا|עד|ถึง|đến|hingga|sampai|geboren|\
    né le|née le|nacido|nacida|nato il|nata il|родился|родилась|народився|народилася|doğum tarihi|\
    anmeldeschluss|bewerbungsschluss|einsendeschluss|anmeldefrist|termin|gültig bis|geburtsdatum|\
    date limite|date de naissance|fecha límite|fecha de nacimiento|plazo|data limite|data de nascimento|\
    scadenza|data di nascita|geboortedatum|deadline er|срок подачи|срок до|дата рождения|действительно до|\
    дата народження|data urodzenia|datum konání|datum narození|son başvuru|วันหมดเขต|หมดเขต|ปิดรับสมัคร|\
    วันเกิด|hạn chót|hạn nộp|ngày sinh|đăng ký|batas akhir|tanggal lahir|الموعد النهائي|تاريخ الميلاد|تاریخ تولد|\
    מועד אחרון|अंतिम तिथि|जन्म तिथि|마감일|締切|締め切り|開催|생년월일|开标|开奖|senast|sista anmälningsdag|sista ansökningsdag|senest|\
    tilmeldingsfrist|ansøgningsfrist|påmeldingsfrist|søknadsfrist|päättyy|viimeistään|mennessä|până la|termen limită|\
    határidő|jelentkezési határidő|iki|līdz|kuni|tähtaeg|umsóknarfrestur|skráning til|fins al|data límit|rok za prijavu|\
    uzávěrka|uzávierka|krajní termín|inscrições até|iscrizioni entro|entro il|avant le|inscription avant|uiterlijk|\
    inschrijven voor|摄于|攝於|拍摄于|拍攝於|摄影于|撮影日|촬영일|접수 마감";

/// What may stand between such a word and its date.
pub(super) const JOINTS: &str = "on|at|date|time|于|於|时间|時間|日期|日|时|为|일시|일자|일|시간|날짜|am|le|el|em|il|dne|op|den|в|о|от|στις|tarihi|في|بتاريخ|\
    در|ב|किया गया|को|เมื่อ|ล่าสุด|នៅ|ngày|lúc|pada|tanggal|data|dátum|дата";

/// Labels that say no more than that a date follows. They may be that of the text or of anything.
pub(super) const OF_DATES: &str = "date|day|time|date/time|datum|tag|zeit|stand|fecha|data|dato|päivämäärä|päiväys|pvm|dagsetning|kuupäev|\
    datums|dátum|datë|дата|датум|время|час|день|ημερομηνία|ημ/νία|ημερομηνια|tarih|tarihi|tarix|التاريخ|\
    تاريخ|بتاريخ|تاریخ|תאריך|दिनांक|तारीख|तिथि|তারিখ|தேதி|తేదీ|วันที่|เวลา|កាលបរិច្ឆេទ|ថ្ងៃទី|ngày|tanggal|\
    tarikh|日期|时间|時間|日付|日時|時刻|날짜|일시|일자|თარიღი|ամսաթիվ|dyddiad|dáta|tarehe|petsa|ວັນທີ|ရက်စွဲ|огноо|күні|\
    heure|fecha/hora|hora|thời gian|le|waktu|día|dia|giorno";

/// What stands between a deed and its day, also before a colon: "« Reply #3 on: March 5".
pub(super) const PREPOSITIONS: &str =
    "on|at|am|vom|del|de|le|el|em|il|dne|op|den|kl|в|о|от|στις|στο|pada|于|於";

/// The languages whose words for publishing are known here.
pub(super) const LANGUAGES: &str = "en|de|fr|es|pt|it|nl|sv|no|nb|nn|da|fi|is|ca|gl|eu|ru|uk|be|bg|sr|hr|bs|sl|mk|pl|cs|sk|hu|ro|el|tr|az|\
    et|lv|lt|sq|ar|fa|he|ur|hi|bn|th|km|vi|id|ms|zh|yue|ja|ko|af|cy";

/// What may stand before the first word of a line that announces its date.
pub(super) const BEGINNINGS: &str = "last|first|originally|this article was|this post was|this page was|this entry was|本文|本页|最后|最近|zuletzt|\
    dernière|última|último|ultimo|ultima|ostatnia|poslední|последнее|последняя|останнє|τελευταία|son|آخر|\
    آخرین|अंतिम|lần cuối|terakhir";

/// How words begin that a label of the day of publication has: of nouns and verbs in all their forms.
pub(super) const ROOTS_OF_PUBLISHING: &str = "publis|publié|publiée|publica|publice|publiz|publik|publiq|publiş|publicē|pubbl|posted|posting|postad|\
    postat|postit|poste|erstpub|опубл|публик|публік|апублік|публ|δημοσι|δημοσί|αναρτ|ανάρτ|καταχ|yayın|\
    yayım|eklen|eklem|oluştur|veröffentl|erschien|erschein|erstveröff|erstell|eingestell|beitrag|meldung|\
    artikel|article|artículo|artigo|articolo|artykuł|статья|стаття|статия|plaats|geplaats|toegevoeg|\
    zamieszcz|dodan|opublik|utworz|zveřej|uveřej|zverej|uverej|vydán|vložen|přidán|pridan|vytvoř|vytvor|\
    uppla|inlag|skapad|lagt|udgiv|utgiv|offentlig|oprett|oppret|indsat|julkai|lähet|lisät|luotu|közz|megjel|\
    feltölt|létre|adăug|adaug|încărc|created|creation|creado|creada|creación|criad|criação|creato|creata|\
    creazione|creat|créé|créa|inserit|caricat|uscit|subid|enviad|veicul|paru|parut|ajout|rédig|redact|redig|\
    geschrieb|geschreven|skrevet|skriven|verfass|napis|napsán|napísan|написан|размещ|выложен|добав|додан|\
    розміщ|викладен|створен|создан|качен|създаден|objav|објав|avalda|lisatud|loodud|paskelb|pievien|sukurt|\
    įdėt|upload|added|issue|releas|filed|dated|submitt|news|blog|terbit|diterbit|tayang|unggah|diunggah|\
    rilis|dirilis|dibuat|argitara|publiku|cyhoedd|foilsi|gepubl|жарияла|дерек|dərc|प्रकाश|पोस्ट|अपलोड|\
    প্রকাশ|வெளியி|شائع|اشاعت|نشر|أضيف|إضافة|انتشار|منتشر|درج|פורסם|פרסום|הועלה|נכתב|הוסף|เผยแพร|โพส|\
    ลงวันที่|ចុះផ្សាយ|ផ្សាយ|გამოქვ|հրապար|작성|등록|게시|게재|입력|발행|공개|보도|승인|올린|기사|submitted|issue|en ligne|postag|postăr|yazıl|kirjoit|\
    创建|添加|上传|上傳|录入|发布|發布|公开|公開|出版|刊出|审核|審核|来稿|來稿|発行|発表|公表|발표|송고|배포|\
    eintrag|pressemitt|notici|notíci|notiz";

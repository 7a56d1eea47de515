//! Lab: latent space.
use crate::knobs::knob;
use crate::relevance::mix;
#[derive(Debug, Clone, Default)]
pub(crate) struct Latent { pub k: usize, ids: Vec<u32>, basis: Vec<f32>, mean: Vec<f32> }
impl Latent {
    pub(crate) fn fit(vectors: &[Vec<(u32, f32)>], terms: usize) -> Latent {
        let n = vectors.len();
        let k = (knob("lk", 24.0) as usize).min(n / knob("lkn", 5.0) as usize);
        if k < 3 { return Latent::default(); }
        let mut df = vec![0u32; terms];
        for v in vectors { for &(b, _) in v { df[b as usize] += 1; } }
        let mut ids = vec![u32::MAX; terms];
        let mut m = 0usize;
        for b in 0..terms { if df[b] >= 2 { ids[b] = m as u32; m += 1; } }
        let x: Vec<Vec<(usize, f32)>> = vectors.iter().map(|v| v.iter().filter(|&&(b, _)| ids[b as usize] != u32::MAX).map(|&(b, x)| (ids[b as usize] as usize, x)).collect()).collect();
        let mut mu = vec![0.0f32; m];
        for v in &x { for &(j, y) in v { mu[j] += y / n as f32; } }
        let mut y: Vec<f32> = (0..n * k).map(|i| (mix(i as u64 ^ 0x51) % 2001) as f32 / 1000.0 - 1.0).collect();
        let mut basis = vec![0.0f32; m * k];
        for _ in 0..knob("lit", 4.0) as usize {
            basis.fill(0.0);
            let mut ysum = vec![0.0f32; k];
            for (i, v) in x.iter().enumerate() {
                let row = &y[i * k..(i + 1) * k];
                for (s, r) in ysum.iter_mut().zip(row) { *s += r; }
                for &(j, w) in v { for (b, r) in basis[j * k..(j + 1) * k].iter_mut().zip(row) { *b += w * r; } }
            }
            for j in 0..m { for c in 0..k { basis[j * k + c] -= mu[j] * ysum[c]; } }
            orth(&mut basis, m, k);
            let mut mv = vec![0.0f32; k];
            for j in 0..m { for c in 0..k { mv[c] += mu[j] * basis[j * k + c]; } }
            for (i, v) in x.iter().enumerate() {
                let row = &mut y[i * k..(i + 1) * k];
                for (r, m) in row.iter_mut().zip(&mv) { *r = -m; }
                for &(j, w) in v { for (b, r) in basis[j * k..(j + 1) * k].iter().zip(row.iter_mut()) { *r += w * b; } }
            }
        }
        let mut mean = vec![0.0f32; k];
        for j in 0..m { for c in 0..k { mean[c] += mu[j] * basis[j * k + c]; } }
        Latent { k, ids, basis, mean }
    }
    pub(crate) fn place(&self, v: &[(u32, f32)]) -> Vec<f32> {
        let k = self.k;
        let mut z: Vec<f32> = self.mean.iter().map(|m| -m).collect();
        if k == 0 { return z; }
        for &(b, w) in v {
            let j = self.ids[b as usize];
            if j != u32::MAX { let j = j as usize; for (z, b) in z.iter_mut().zip(&self.basis[j * k..(j + 1) * k]) { *z += w * b; } }
        }
        let l = z.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
        z.iter_mut().for_each(|x| *x /= l);
        z
    }
}
fn orth(b: &mut [f32], m: usize, k: usize) {
    // Cholesky of the Gram matrix.
    for _ in 0..2 {
        let mut g = vec![0.0f64; k * k];
        for j in 0..m { let r = &b[j * k..(j + 1) * k]; for a in 0..k { let ra = r[a] as f64; if ra != 0.0 { for c in 0..=a { g[a * k + c] += ra * r[c] as f64; } } } }
        let t: f64 = (0..k).map(|a| g[a * k + a]).sum::<f64>() / k as f64;
        for a in 0..k { g[a * k + a] += 1e-9 * t + 1e-20; }
        let mut l = vec![0.0f64; k * k];
        for a in 0..k { for c in 0..=a { let mut s = g[a * k + c]; for q in 0..c { s -= l[a * k + q] * l[c * k + q]; } l[a * k + c] = if a == c { s.max(1e-20).sqrt() } else { s / l[c * k + c] }; } }
        for j in 0..m { let r = &mut b[j * k..(j + 1) * k]; for a in 0..k { let mut s = r[a] as f64; for q in 0..a { s -= l[a * k + q] * r[q] as f64; } r[a] = (s / l[a * k + a]) as f32; } }
    }
}

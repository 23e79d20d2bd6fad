//! Features of the processor.

use std::sync::OnceLock;

/// Returns whether the processor has AVX2 and the instructions that came before it: BMI1, BMI2, LZCNT and POPCNT.
#[inline(always)]
pub(crate) fn has_avx2() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    })
}

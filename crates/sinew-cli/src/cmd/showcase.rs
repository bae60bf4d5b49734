//! `sinew showcase`.
use crate::args::Showcase;
use crate::failure::Failure;
use crate::output::Out;
pub(crate) fn run(_args: &Showcase, _out: &mut Out) -> Result<(), Failure> {
    Err(Failure::Internal("showcase".into()))
}

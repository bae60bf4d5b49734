//! `sinew audit`.
use crate::args::Audit;
use crate::failure::Failure;
use crate::output::Out;
pub(crate) fn run(_args: &Audit, _out: &mut Out) -> Result<(), Failure> {
    Err(Failure::Internal("audit".into()))
}

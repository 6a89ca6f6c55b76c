//! Validation of query descriptors, against Direct3D 11's rules and the device's features.

use onze_ddi::{PipelineCaps, QueryDesc, QueryMiscFlags, QueryType};

use super::need;
use crate::report::Error;

/// Checks that the device supports the query's type, and that the flags are allowed for this type.
pub(crate) fn query(desc: &QueryDesc, caps: &PipelineCaps) -> Result<(), Error> {
    let QueryDesc { query, misc_flags, .. } = *desc;
    let unknown = misc_flags.difference(QueryMiscFlags::all());
    if !unknown.is_empty() {
        return invalid!("misc_flags has the unknown bits {:#x}", unknown.bits());
    }
    if misc_flags.contains(QueryMiscFlags::PREDICATEHINT) && query != QueryType::OcclusionPredicate {
        return invalid!(
            "PREDICATEHINT is for QueryType::OcclusionPredicate only, found QueryType::{query:?}"
        );
    }
    let needs = query.needs();
    if needs.is_empty() { Ok(()) } else { need(caps, needs, format_args!("QueryType::{query:?}")) }
}

/// Checks the descriptor of a query that can predicate commands.
pub(crate) fn predicate(desc: &QueryDesc, caps: &PipelineCaps) -> Result<(), Error> {
    if !desc.query.is_predicate() {
        return invalid!(
            "QueryType::{:?} cannot predicate commands; use QueryType::OcclusionPredicate, or \
             `create_query`",
            desc.query
        );
    }
    query(desc, caps)
}

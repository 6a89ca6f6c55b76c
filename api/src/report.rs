//! Errors returned by calls, and messages of the debug layer.

mod error;
mod message;

pub use error::Error;
pub(crate) use error::{DriverError, Fatal};
pub(crate) use message::Subject;
pub use message::{
    Category, DEFAULT_MESSAGE_COUNT_LIMIT, InfoQueue, InfoQueueFilter, InfoQueueFilterDesc, Message,
    MessageId, Severity,
};

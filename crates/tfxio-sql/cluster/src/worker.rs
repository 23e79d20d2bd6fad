//! A worker: runs the parts of plans that coordinators send.

use datafusion_distributed::{
    DistributedExt as _, Worker, WorkerPlanRewriteEvent, WorkerPlanRewriteEventResponse, WorkerQueryContext,
};
use tfxio_sql::datafusion::prelude::SessionContext;
use tfxio_sql::{SessionContextExt as _, TfxioCodec};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;

use crate::named::NamedChannels;
use crate::watched::Watch;

/// The variable with the number of the batch at which a worker exits, for tests.
pub const EXIT_AT: &str = "TFXIO_WORKER_EXIT_AT";

/// Serves until the process ends. Data sets are opened here, with what this process has: give the codec options with stores,
/// credentials and formats of one's own.
///
/// # Errors
/// When the port cannot be served.
pub async fn serve(listener: TcpListener, exit_at: Option<u64>) -> Result<(), tonic::transport::Error> {
    let (channels, watch) = (NamedChannels::default(), Watch::new(exit_at));
    let worker = Worker::from_session_builder(move |query: WorkerQueryContext| {
        let (channels, watch) = (channels.clone(), watch.clone());
        async move {
            let state = query
                .builder
                .with_distributed_user_codec(TfxioCodec::new())
                .with_distributed_channel_resolver(channels)
                .with_distributed_worker_plan_rewrite_handler(move |event: WorkerPlanRewriteEvent<'_>| {
                    watch.plan(event.plan).map(WorkerPlanRewriteEventResponse::new)
                })
                .build();
            let context = SessionContext::new_with_state(state);
            context.register_functions();
            Ok(context.state())
        }
    });
    let incoming = TcpListenerStream::new(listener);
    Server::builder().add_service(worker.into_worker_server()).serve_with_incoming(incoming).await
}

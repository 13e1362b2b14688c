/** What to do about a program whose client delays its own requests to the API server. */
export const raiseClientLimits =
  '[end] Raise the limits of the client for requests to the API server (QPS and burst), if the program has arguments for them: `kubectl -n {namespace} edit {workload}`. [end] Otherwise let its policies read fewer objects, or install a release that caches them.';

import type { CallError } from './call-error.ts';

/** The URL of a call in an error; quotes may be lost, the end may be cut. */
const url =
  /https:\/\/(?<host>[^\s"/:?]+|\[[^\]]+\])(?::(?<port>\d+))?(?<path>\/[^\s"?]*)?(?:\?timeout=(?<timeout>[0-9hms.]+[hms]))?/;
const serviceHost = /^(?<name>[^.]+)\.(?<namespace>[^.]+)\.svc$/;

/** Go's duration text, as far as a webhook's timeout uses it. */
function seconds(duration: string): number | undefined {
  const match = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration);
  return match === null ? undefined : Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

/** Whom a call was for. */
export type CallTarget = Pick<CallError, 'service' | 'host' | 'port' | 'path' | 'timeoutSeconds'>;

/** Reads the first URL of a text; empty when there is none. */
export function targetOf(text: string): CallTarget {
  const groups = url.exec(text)?.groups;
  if (groups?.host === undefined) return {};
  const service = serviceHost.exec(groups.host)?.groups;
  const timeoutSeconds = groups.timeout === undefined ? undefined : seconds(groups.timeout);
  return {
    ...(service?.name === undefined || service.namespace === undefined
      ? { host: groups.host }
      : { service: { namespace: service.namespace, name: service.name } }),
    ...(groups.port === undefined ? {} : { port: Number(groups.port) }),
    ...(groups.path === undefined ? {} : { path: groups.path }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

import { connect } from 'node:net';
import { type ClusterProber, type DryRunRequest, ReadError } from '../../src/collect/cluster.ts';
import type { HttpResponse } from '../../src/facts/probes.ts';

export interface ProberAnswers {
  /** Port of 127.0.0.1 that replaces a Pod's; undefined: port-forwards are forbidden. */
  readonly port?: number;
  readonly get?: (path: string, signal: AbortSignal) => HttpResponse | Promise<HttpResponse>;
  /** The error of every port-forward. */
  readonly forwardError?: Error;
  readonly dryRun?: (request: DryRunRequest) => HttpResponse;
  /** This program runs in a Pod of the cluster. */
  readonly amongPods?: boolean;
  readonly ended?: AbortSignal;
}

export const answerOf = (status: number, body: object): HttpResponse => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
});

export const statusOf = (code: number, message: string, details: object = {}): HttpResponse =>
  answerOf(code, { kind: 'Status', code, reason: code === 403 ? 'Forbidden' : '', message, details });

/** A prober with fixed responses, whose Pods are one real port of this machine; records the requests. */
export function recordedProber({
  port,
  forwardError,
  get,
  dryRun,
  amongPods = false,
  ended,
}: ProberAnswers): ClusterProber & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    asked,
    ended,
    amongPods,
    clock: () => undefined,
    async portForward(namespace, pod, podPort) {
      asked.push(`port-forward ${namespace}/${pod}:${podPort}`);
      const path = '/portforward';
      const serverMessage = 'pods is forbidden';
      if (forwardError !== undefined) throw forwardError;
      if (port === undefined)
        throw new ReadError('no', {
          reason: 'forbidden',
          byApiServer: true,
          path,
          status: 403,
          serverMessage,
        });
      return connect(port, '127.0.0.1');
    },
    async get(path, signal) {
      asked.push(`GET ${path}`);
      return (await get?.(path, signal)) ?? answerOf(400, {});
    },
    async dryRun(request) {
      asked.push(`dry run: ${request.verb} ${request.path}`);
      return dryRun?.(request) ?? answerOf(201, {});
    },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { nothingRequested } from '../../src/collect/collectors/catalogue.ts';
import { queryText } from '../../src/collect/kube/http/request-head.ts';
import type { Transport } from '../../src/collect/kube/http/transport.ts';
import { kubeProber } from '../../src/collect/kube/kube-prober.ts';
import { kubeReader } from '../../src/collect/kube/kube-reader.ts';
import { type OpenedCluster, openConnection } from '../../src/collect/kube/open-cluster.ts';
import { snapshotReader } from '../../src/collect/snapshot-reader.ts';
import type { PodLogs } from '../../src/demo/api-server/pod-log.ts';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { ClockReading } from '../../src/facts/probes.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import { renderJson } from '../../src/render/data-formats/json.ts';
import { snapshotOf, snapshotText } from '../../src/snapshot/snapshot-document.ts';
import { type DoctorOptions, examineCluster, withRemedies } from '../../src/workflows/doctor.ts';
import { directPortForward } from './direct-port-forward.ts';

/** The cluster from the text of a snapshot of it. */
const recorded = (snapshot: Snapshot): ClusterReader =>
  snapshotReader(snapshotOf(snapshotText(snapshot, '1.0.0'), nothingRequested()), undefined);

type State = Pick<Scenario, 'parts' | 'deep' | 'probe'> & {
  readonly logs?: Readonly<Record<string, string>>;
  /** Of the API server; default: that of the demo. */
  readonly version?: string;
};

/**
 * Reads are handled without connections, and Pods are reached without the API server: handshakes, HTTP and
 * port-forwards are the same in each state, and the subject of test/contract-cluster and test/commands. Probes use
 * HTTPS.
 */
function withoutConnections(
  server: DemoApiServer,
  { connection, transport, reader }: OpenedCluster,
  version: string | undefined,
) {
  let clock: ClockReading | undefined;
  const fetch: Transport['fetch'] = async (path, query, accept, take) => {
    const given = await server.handle({
      url: `${path}${queryText(query)}`,
      accept,
      host: connection.server.host,
    });
    const isVersion = version !== undefined && path === '/version';
    const body = Buffer.from(
      isVersion ? JSON.stringify({ ...JSON.parse(String(given.body)), gitVersion: version }) : given.body,
    );
    const headers = { 'content-type': given.contentType, ...given.headers };
    const here = new Date().toISOString();
    clock = { server: here, here };
    const taken = given.status === 200 && take !== undefined;
    if (taken) take(body);
    return { status: given.status, headers, body: taken ? Buffer.alloc(0) : body, bytes: body.length };
  };
  const direct: Transport = { ...transport, fetch, clock: () => clock };
  return {
    reader: kubeReader(connection, direct, reader.at),
    prober: async () => {
      const prober = kubeProber(direct);
      return { ...prober, portForward: directPortForward(server, prober) };
    },
  };
}

/** Starts a cluster in this state. */
async function inState<T>(
  state: State,
  use: (reader: ClusterReader, options: DoctorOptions) => Promise<T>,
): Promise<T> {
  const { parts, deep = false, probe: level = 'review', logs, version } = state;
  const now = new Date();
  const content = clusterContent(parts, now);
  const withLogs = (made: PodLogs = new Map()): PodLogs => new Map([...made, ...Object.entries(logs ?? {})]);
  const server = await startApiServer({
    ...content,
    logs: withLogs(content.logs),
    controllers: (objects, at) => {
      const made = content.controllers?.(objects, at) ?? { objects };
      return { ...made, logs: withLogs(made.logs) };
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-scenario-'));
  const kubeconfig = join(directory, 'config');
  writeFileSync(kubeconfig, server.kubeconfig());
  try {
    const { reader, prober } = withoutConnections(server, await openConnection({ kubeconfig }, {}), version);
    try {
      return await use(reader, { deep, now, probe: { level, prober } });
    } finally {
      reader.close();
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Doctor's report about a cluster in this state, without remedies. */
export const reportAbout = (state: State): Promise<DoctorReport> =>
  inState(state, async (reader, options) => (await examineCluster(reader, options)).report);

/** Doctor's report about a cluster in this state: now, and the same from a snapshot a year later. */
export const examine = (state: State): Promise<DoctorReport> =>
  inState(state, async (reader, options) => {
    const { snapshot, report } = await examineCluster(reader, options);
    const later = { ...options, now: new Date(options.now.getTime() + 365 * 86_400_000) };
    const year = recorded(snapshot);
    const again = await examineCluster(year, later);
    expect(renderJson(again.report)).to.equal(renderJson(report));
    return withRemedies(year, again, later);
  });

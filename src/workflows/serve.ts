import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueCertificate } from '../basics/issue-certificate.ts';
import { type Election, openElection } from '../change/lease.ts';
import type { ClusterReader, OpenProber } from '../collect/cluster.ts';
import { isSecretPath } from '../collect/followed-secrets.ts';
import { reviewCaller } from '../collect/kube/caller-review.ts';
import type { Observe } from '../collect/kube/http/observation.ts';
import type { KubeFlags } from '../collect/kube/kubeconfig/kube-flags.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { RememberedProbes } from '../collect/probes/run.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import type { CalloutProbes, ProbeLevel } from '../facts/probes.ts';
import { renderHtml } from '../render/html/render-html.ts';
import { type Admission, callerCache } from '../serve/callers.ts';
import {
  type Page,
  type RunningServer,
  type ServedKeyPair,
  type ServedPages,
  startHttpServer,
} from '../serve/http-server.ts';
import { serveMetrics } from '../serve/metrics.ts';
import { openMetricsText, openMetricsType } from '../serve/open-metrics.ts';
import { countIn, newRecord, noteCounts, noteLatencies, type ServeRecord } from '../serve/record.ts';
import { attachRemedies } from './attach-remedies.ts';
import { certCheck } from './cert-check.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { watchCluster } from './cluster/watch-cluster.ts';
import { onCluster } from './cluster/with-cluster.ts';
import { examineCluster } from './doctor.ts';

/** The flags of `serve`. */
export interface ServeOptions {
  readonly flags: KubeFlags;
  readonly observe: Observe | undefined;
  readonly version: string;
  readonly host: string | undefined;
  readonly port: number;
  /** Milliseconds between two evaluations if nothing changes. */
  readonly interval: number;
  readonly probe: ProbeLevel;
  /** Absent: a self-signed certificate is used. */
  readonly keyPairFiles: { readonly certificate: string; readonly key: string } | undefined;
  /** Every client may read everything. */
  readonly anonymous: boolean;
  /** Replicas elect the one that connects to Pods, with a Lease in their namespace. */
  readonly elects: boolean;
  readonly listening: (port: number) => void;
  readonly show: (report: DoctorReport) => Promise<void>;
  readonly problem: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const callerTimeout = 5_000;
const betweenCertificates = 10 * 60_000;
/** After the change of a Secret. */
const betweenChangedCertificates = 5_000;
const betweenKeyPairs = 60_000;
/** Before the next attempt if the cluster cannot be read. */
const shortestPause = 1_000;
const longestPause = 30_000;

/** Default timeout of one request: a hanging one must not delay the next evaluation. */
const requestTimeout = '30s';

/** Remembers results of probes for some milliseconds. */
function probeMemory(age: number): RememberedProbes & { readonly takeNewResults: () => ReadonlySet<string> } {
  const known = new Map<
    string,
    { readonly about: string; readonly probes: CalloutProbes; readonly at: number }
  >();
  let fresh = new Set<string>();
  const isYoung = ({ at }: { readonly at: number }): boolean => performance.now() - at < age;
  return {
    recall(id, about) {
      const entry = known.get(id);
      return entry !== undefined && entry.about === about && isYoung(entry) ? entry.probes : undefined;
    },
    remember(id, about, probes) {
      known.set(id, { about, probes, at: performance.now() });
      fresh.add(id);
    },
    takeNewResults() {
      for (const [id, entry] of known) if (!isYoung(entry)) known.delete(id);
      const taken = fresh;
      fresh = new Set();
      return taken;
    },
  };
}

/** A self-signed certificate for this process: it encrypts, but clients cannot verify it. */
function ownKeyPair(): ServedKeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  return issueCertificate({
    name: 'kubectl-webhook',
    key: privateKey,
    dns: ['localhost', hostname()],
    from: new Date(now - 3_600_000),
    until: new Date(now + 10 * 365 * 24 * 3_600_000),
  });
}

function readKeyPair({ certificate, key }: NonNullable<ServeOptions['keyPairFiles']>): ServedKeyPair {
  try {
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  } catch (error) {
    throw new CannotStart(`the TLS certificate cannot be read: ${(error as Error).message}`);
  }
}

/** Decides which callers may read pages. */
async function admitting({ anonymous, flags, observe, problem }: ServeOptions, counted: Observe) {
  if (anonymous) return { admit: async (): Promise<Admission> => 'allowed', close: () => undefined };
  const observeAll: Observe = (request) => {
    observe?.(request);
    counted(request);
  };
  const { transport, reader } = await openConnection(flags, process.env, undefined, { observe: observeAll });
  let reported = '';
  const admit = callerCache(async (token, path) => {
    try {
      const review = await reviewCaller(transport, token, path, callerTimeout);
      reported = '';
      return review;
    } catch (error) {
      const { message } = error as Error;
      if (message !== reported) problem(`callers of /metrics and / are refused: ${message}`);
      reported = message;
      throw error;
    }
  });
  return { admit, close: reader.close };
}

/** A running `serve`. Times are of `performance.now()`. */
interface Serving {
  /** With a request timeout. */
  readonly options: ServeOptions;
  readonly record: ServeRecord;
  readonly memory: ReturnType<typeof probeMemory>;
  /** Counts the requests to the API server. */
  readonly observe: Observe;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  election: Election | undefined;
  countedAt: number;
  certificatesAt: number;
  /** A Secret has changed since then. */
  secretChanged: boolean;
  /** Reads Secrets that are watched. */
  live: ClusterReader | undefined;
  certificatesUnderWay: Promise<void> | undefined;
}

/**
 * Evaluates the cluster again and again, and serves the results: metrics, health, the report. Ends with the signal; throws
 * if it cannot start.
 */
export async function serve(given: ServeOptions): Promise<void> {
  const requestLimit = given.flags['request-timeout'] ?? requestTimeout;
  const options = { ...given, flags: { ...given.flags, 'request-timeout': requestLimit } };
  const serving = start(options);
  const { record } = serving;
  const callers = await admitting(options, (request) => countRequest(record, request));
  const server = await listen(serving, callers.admit);
  options.listening(server.port);
  const renewing = setInterval(() => renewKeyPair(server, options), betweenKeyPairs);
  try {
    await evaluateUntilEnded(serving, server.port);
  } finally {
    clearInterval(renewing);
    await server.close();
    await serving.certificatesUnderWay;
    await serving.election?.end();
    callers.close();
  }
}

function start(options: ServeOptions): Serving {
  const record = newRecord();
  return {
    options,
    record,
    memory: probeMemory(options.interval - 2_000),
    observe(request) {
      options.observe?.(request);
      countRequest(record, request);
    },
    startedAt: Date.now() - process.uptime() * 1000,
    election: undefined,
    countedAt: Number.NEGATIVE_INFINITY,
    certificatesAt: Number.NEGATIVE_INFINITY,
    secretChanged: false,
    live: undefined,
    certificatesUnderWay: undefined,
  };
}

function countRequest({ apiRequests }: ServeRecord, { method, path, status }: Parameters<Observe>[0]): void {
  const verb = method === 'GET' && /[?&]watch=true/.test(path) ? 'WATCH' : method;
  countIn(apiRequests, [verb, String(status ?? 'none')]);
}

/** Starts the server with all pages. Throws CannotStart. */
function listen(
  { options, record, startedAt }: Serving,
  admit: ServedPages['admit'],
): Promise<RunningServer> {
  const { host, port, keyPairFiles, version } = options;
  return startHttpServer({
    host,
    port,
    keyPair: keyPairFiles === undefined ? ownKeyPair() : readKeyPair(keyPairFiles),
    open: { '/healthz': health(() => true), '/readyz': health(() => record.report !== undefined) },
    guarded: { '/metrics': () => metricsPage(record, startedAt, version), '/': reportPage(record) },
    admit,
    seen: (path, status) => countIn(record.answers, [path, String(status)]),
  }).catch((error: Error) => {
    throw new CannotStart(`cannot listen: ${error.message}`);
  });
}

const notYet = 'the cluster was not evaluated yet\n';
const plainText = 'text/plain; charset=utf-8';

const health = (isWell: () => boolean) => (): Page => ({
  type: plainText,
  body: isWell() ? 'ok\n' : notYet,
  status: isWell() ? 200 : 503,
});

/** The HTML report, rendered on demand and once for each evaluation. */
function reportPage(record: ServeRecord): () => Page {
  let page: { readonly of: DoctorReport; readonly html: string } | undefined;
  return () => {
    const { report } = record;
    if (report === undefined) return { type: plainText, body: notYet, status: 503 };
    if (page?.of !== report) page = { of: report, html: renderHtml(report) };
    return { type: 'text/html; charset=utf-8', body: page.html };
  };
}

function metricsPage(record: ServeRecord, startedAt: number, version: string): Page {
  const { user, system } = process.cpuUsage();
  const use = {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    startedAt: startedAt / 1000,
  };
  return { type: openMetricsType, body: openMetricsText(serveMetrics(record, use, version)) };
}

function renewKeyPair(server: RunningServer, { keyPairFiles, problem }: ServeOptions): void {
  if (keyPairFiles === undefined) return;
  try {
    server.renew(readKeyPair(keyPairFiles));
  } catch (error) {
    problem((error as Error).message);
  }
}

/** Evaluates the cluster until the signal; starts again after an error, with growing pauses. */
async function evaluateUntilEnded(serving: Serving, port: number): Promise<void> {
  const { options, record, observe } = serving;
  const { signal, problem } = options;
  for (let pause = shortestPause; !signal.aborted; pause = Math.min(2 * pause, longestPause)) {
    const before = record.evaluations;
    try {
      if (options.elects) serving.election ??= await openElection(options.flags, observe, problem, signal);
      await watchAndEvaluate(serving, port);
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof CannotStart)) throw error;
      countIn(record.failures, [error.why ?? 'other']);
      problem(error.message);
    }
    if (record.evaluations > before) pause = shortestPause;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

const clusterOptions = ({ options, observe }: Serving, port: number) => ({
  flags: options.flags,
  milliseconds: options.interval,
  observe,
  listensOn: port,
  interrupted: options.signal,
});

/** Evaluates the cluster after every change, and at least once in the interval. */
function watchAndEvaluate(serving: Serving, port: number) {
  const { options, record } = serving;
  return watchCluster(clusterOptions(serving, port), {
    pace: { shortest: 500, longest: options.interval, settling: 250 },
    look: (reader, prober) => evaluate(serving, reader, prober),
    about: ({ callouts }) => callouts,
    async show(report) {
      await publish(serving, report, port);
      return false;
    },
    problem(text) {
      countIn(record.failures, ['read']);
      options.problem(text);
    },
    onWatchEnd: (why) => countIn(record.watchEnds, [why]),
    onSecretChange() {
      serving.secretChanged = true;
    },
    signal: options.signal,
  });
}

/** Only the leader connects to Pods and counts calls. */
async function evaluate(serving: Serving, reader: ClusterReader, prober: OpenProber) {
  const { options, record, memory, startedAt } = serving;
  const { probe: level, interval } = options;
  const began = performance.now();
  serving.live = reader;
  const leads = serving.election?.leads() ?? true;
  record.probes = level === 'none' ? undefined : leads;
  const counts = leads && began - serving.countedAt > interval - 2_000;
  const { report, snapshot } = await examineCluster(reader, {
    now: new Date(),
    counts,
    withoutSamples: true,
    ...(record.probes ? { probe: { level, prober, replicasOnly: true, remembered: memory } } : {}),
  });
  if (counts) {
    serving.countedAt = began;
    const { metrics } = snapshot.facts;
    if (metrics.known('server')) noteCounts(record, metrics.get('server')?.servers ?? [], startedAt);
  }
  record.took = performance.now() - began;
  return attachRemedies(report, snapshot, { isUnfiltered: true, sameCluster: '', isOver: () => false });
}

/** Makes a report the current one, and reads certificates from time to time. */
async function publish(serving: Serving, report: DoctorReport, port: number): Promise<void> {
  const { options, record, memory } = serving;
  record.report = report;
  record.evaluations += 1;
  noteLatencies(record, report.callouts, memory.takeNewResults());
  // Replicas that do not probe see less: their reports would contradict the leader's.
  if (record.probes !== false) await options.show(report);
  const pause = serving.secretChanged ? betweenChangedCertificates : betweenCertificates;
  if (performance.now() - serving.certificatesAt <= pause || serving.certificatesUnderWay !== undefined)
    return;
  serving.certificatesAt = performance.now();
  serving.secretChanged = false;
  serving.certificatesUnderWay = readCertificates(serving, port)
    .catch((error: Error) => options.problem(error.message))
    .finally(() => {
      serving.certificatesUnderWay = undefined;
    });
}

async function readCertificates(serving: Serving, port: number): Promise<void> {
  const { record } = serving;
  const question = { callouts: [], now: new Date() };
  const cluster = { ...clusterOptions(serving, port), milliseconds: betweenCertificates };
  record.certificates = await onCluster(cluster, (reader, prober) =>
    certCheck(
      {
        ...reader,
        get: (path, ...how) => (isSecretPath(path) ? (serving.live ?? reader) : reader).get(path, ...how),
      },
      { ...question, ...(record.probes ? { prober } : {}) },
    ),
  );
}

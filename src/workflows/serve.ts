import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Election, openElection } from '../change/lease.ts';
import { reviewCaller } from '../collect/kube/caller-review.ts';
import type { KubeFlags } from '../collect/kube/kube-flags.ts';
import type { Observe } from '../collect/kube/observation.ts';
import { openConnection } from '../collect/kube/open-cluster.ts';
import type { RememberedProbes } from '../collect/probes/run.ts';
import { issue } from '../demo/certificate/issue.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import type { CalloutProbes, ProbeLevel } from '../facts/probes.ts';
import { renderHtml } from '../render/html/render-html.ts';
import { type Admission, callerCache } from '../serve/callers.ts';
import { type Page, type ServedKeyPair, startHttpServer } from '../serve/http-server.ts';
import { serveMetrics } from '../serve/metrics.ts';
import { openMetricsText, openMetricsType } from '../serve/open-metrics.ts';
import { countIn, newRecord, noteCounts, noteLatencies } from '../serve/record.ts';
import { CannotStart } from './cannot-start.ts';
import { certCheck } from './cert-check.ts';
import { examineCluster } from './doctor.ts';
import { attachRemedies } from './fix/attach-remedies.ts';
import { watchCluster } from './watch-cluster.ts';
import { withCluster } from './with-cluster.ts';

/** What the flags of `serve` ask for. */
export interface ServeOptions {
  readonly flags: KubeFlags;
  readonly observe: Observe | undefined;
  readonly version: string;
  readonly host: string | undefined;
  readonly port: number;
  /** Milliseconds between two judgements when nothing changes. */
  readonly interval: number;
  readonly probe: ProbeLevel;
  /** Absent: a certificate is made. */
  readonly keyPairFiles: { readonly certificate: string; readonly key: string } | undefined;
  /** Whoever reaches the port may read everything. */
  readonly anonymous: boolean;
  /** Replicas elect who connects to Pods, by a Lease in their namespace. */
  readonly elects: boolean;
  readonly listening: (port: number) => void;
  readonly show: (report: DoctorReport) => Promise<void>;
  readonly problem: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const callerPatience = 5_000;
const betweenCertificates = 10 * 60_000;
const betweenKeyPairs = 60_000;
/** Before the next attempt when the cluster cannot be read at all. */
const shortestPause = 1_000;
const longestPause = 30_000;

/** The program's own limit for one request: what hangs must not hold up the next judgement. */
const requestTimeout = '30s';

/** What connections to Pods showed, for so many milliseconds. */
function probeMemory(age: number): RememberedProbes & { readonly takeFresh: () => ReadonlySet<string> } {
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
    takeFresh() {
      for (const [id, entry] of known) if (!isYoung(entry)) known.delete(id);
      const taken = fresh;
      fresh = new Set();
      return taken;
    },
  };
}

/** A certificate for this process alone: nobody can verify it, and nobody can read along. */
function ownKeyPair(): ServedKeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  return issue({
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

/** By whom this server lets itself be read. */
async function admitting({ anonymous, flags, observe, problem }: ServeOptions, counted: Observe) {
  if (anonymous) return { admit: async (): Promise<Admission> => 'allowed', close: () => undefined };
  const seen: Observe = (request) => {
    observe?.(request);
    counted(request);
  };
  const { transport, reader } = await openConnection(flags, process.env, undefined, { observe: seen });
  let said = '';
  const admit = callerCache(async (token, path) => {
    try {
      const review = await reviewCaller(transport, token, path, callerPatience);
      said = '';
      return review;
    } catch (error) {
      const { message } = error as Error;
      if (message !== said) problem(`callers of /metrics and / are refused: ${message}`);
      said = message;
      throw error;
    }
  });
  return { admit, close: reader.close };
}

/**
 * Judges the cluster again and again, and serves what it found to be read: metrics, health, the report. Ends with the
 * signal; throws where it cannot begin.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { interval, signal, problem, probe: level } = options;
  const flags = { ...options.flags, 'request-timeout': options.flags['request-timeout'] ?? requestTimeout };
  const startedAt = Date.now() - process.uptime() * 1000;
  const record = newRecord();
  const counted: Observe = ({ method, path, status }) => {
    const verb = method === 'GET' && /[?&]watch=true/.test(path) ? 'WATCH' : method;
    countIn(record.apiRequests, [verb, String(status ?? 'none')]);
  };
  const observe: Observe = (request) => {
    options.observe?.(request);
    counted(request);
  };
  const callers = await admitting({ ...options, flags }, counted);
  const { keyPairFiles } = options;

  let page: { readonly of: DoctorReport; readonly html: string } | undefined;
  const reportPage = (): Page => {
    const { report } = record;
    if (report === undefined)
      return { type: 'text/plain; charset=utf-8', body: 'the cluster was not judged yet\n', status: 503 };
    // Made when somebody asks, once for each judgement.
    if (page?.of !== report) page = { of: report, html: renderHtml(report) };
    return { type: 'text/html; charset=utf-8', body: page.html };
  };
  const metricsPage = (): Page => {
    const { user, system } = process.cpuUsage();
    const use = {
      residentBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
      startedAt: startedAt / 1000,
    };
    return { type: openMetricsType, body: openMetricsText(serveMetrics(record, use, options.version)) };
  };
  const health = (isWell: () => boolean) => (): Page => ({
    type: 'text/plain; charset=utf-8',
    body: isWell() ? 'ok\n' : 'the cluster was not judged yet\n',
    status: isWell() ? 200 : 503,
  });
  const server = await startHttpServer({
    host: options.host,
    port: options.port,
    keyPair: keyPairFiles === undefined ? ownKeyPair() : readKeyPair(keyPairFiles),
    open: { '/healthz': health(() => true), '/readyz': health(() => record.report !== undefined) },
    guarded: { '/metrics': metricsPage, '/': reportPage },
    admit: callers.admit,
    seen: (path, status) => countIn(record.answers, [path, String(status)]),
  }).catch((error: Error) => {
    throw new CannotStart(`cannot listen: ${error.message}`);
  });
  options.listening(server.port);
  const renewing = setInterval(() => {
    if (keyPairFiles === undefined) return;
    try {
      server.renew(readKeyPair(keyPairFiles));
    } catch (error) {
      problem((error as Error).message);
    }
  }, betweenKeyPairs);

  let election: Election | undefined;
  const way = { flags, milliseconds: interval, observe, listensOn: server.port, interrupted: signal };
  const memory = probeMemory(interval - 2_000);
  let countedAt = Number.NEGATIVE_INFINITY;
  let certificatesAt = Number.NEGATIVE_INFINITY;
  let certificatesUnderWay: Promise<void> | undefined;

  const readCertificates = async (): Promise<void> => {
    const question = { callouts: [], now: new Date() };
    record.certificates = await withCluster({ ...way, milliseconds: betweenCertificates }, (reader, prober) =>
      certCheck(reader, { ...question, ...(record.probes ? { prober } : {}) }),
    );
  };

  const lookOn = () =>
    watchCluster(way, {
      pace: { shortest: 500, longest: interval, settling: 250 },
      async look(reader, prober) {
        const began = performance.now();
        const leads = election?.leads() ?? true;
        record.probes = level === 'none' ? undefined : leads;
        const counts = leads && began - countedAt > interval - 2_000;
        const { report, snapshot } = await examineCluster(reader, {
          now: new Date(),
          counts,
          withoutSamples: true,
          ...(record.probes ? { probe: { level, prober, replicasOnly: true, remembered: memory } } : {}),
        });
        if (counts) {
          countedAt = began;
          const { metrics } = snapshot.facts;
          if (metrics.known('server')) noteCounts(record, metrics.get('server')?.servers ?? [], startedAt);
        }
        record.took = performance.now() - began;
        return attachRemedies(report, snapshot, { whole: true, flags: '', isOver: () => false });
      },
      about: ({ callouts }) => callouts,
      async show(report) {
        record.report = report;
        record.judgements += 1;
        noteLatencies(record, report.callouts, memory.takeFresh());
        // What the other replicas see is less: it would only contradict the prober.
        if (record.probes !== false) await options.show(report);
        if (performance.now() - certificatesAt > betweenCertificates && certificatesUnderWay === undefined) {
          certificatesAt = performance.now();
          certificatesUnderWay = readCertificates()
            .catch((error: Error) => problem(error.message))
            .finally(() => {
              certificatesUnderWay = undefined;
            });
        }
        return false;
      },
      problem(text) {
        countIn(record.failures, ['read']);
        problem(text);
      },
      onWatchEnd: (why) => countIn(record.watchEnds, [why]),
      signal,
    });

  try {
    for (let pause = shortestPause; !signal.aborted; pause = Math.min(2 * pause, longestPause)) {
      const judged = record.judgements;
      try {
        if (options.elects) election ??= await openElection(flags, observe, problem, signal);
        await lookOn();
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof CannotStart)) throw error;
        countIn(record.failures, [error.why ?? 'other']);
        problem(error.message);
      }
      if (record.judgements > judged) pause = shortestPause;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(renewing);
    await server.close();
    await certificatesUnderWay;
    await election?.end();
    callers.close();
  }
}

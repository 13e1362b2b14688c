import { reportDocument } from '../../src/render/data-formats/document.ts';
import { renderJson } from '../../src/render/data-formats/json.ts';
import { renderYaml } from '../../src/render/data-formats/yaml.ts';
import { renderExplanation } from '../../src/render/explain/render-explanation.ts';
import { renderWhatIfHtml } from '../../src/render/html/what-if-html.ts';
import { renderList } from '../../src/render/list/render-list.ts';
import { renderCertificateReport } from '../../src/render/render-certificate-report.ts';
import { renderReport } from '../../src/render/render-report.ts';
import { renderTrace } from '../../src/render/trace/render-trace.ts';
import { renderWhatIf, renderWhatIfMarkdown } from '../../src/render/what-if/render-what-if.ts';
import { alerts } from '../../src/workflows/alerts.ts';
import { certCheck } from '../../src/workflows/cert-check.ts';
import { type ClusterOptions, onCluster } from '../../src/workflows/cluster/with-cluster.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { explain } from '../../src/workflows/explain.ts';
import { listWebhooks } from '../../src/workflows/list.ts';
import { traceFor } from '../../src/workflows/trace/trace.ts';
import { whatIfFor } from '../../src/workflows/what-if/what-if.ts';

const look = {
  width: 100,
  colour: false,
  unicode: true,
  all: false,
  wide: false,
  folds: false,
  headers: true,
};

/** The requests of a command to a cluster, and all of its output formats. */
export type Asked = (way: ClusterOptions, now: Date, named: string) => Promise<readonly string[]>;

const documents = (report: object): readonly string[] => [
  renderJson(reportDocument(report)),
  renderYaml(reportDocument(report)),
];

const doctorAsks =
  (how: { readonly named?: true; readonly deep?: true; readonly probe?: 'none' }): Asked =>
  (way, now, named) =>
    onCluster(way, async (reader, prober) => {
      const report = await doctor(reader, {
        callouts: how.named === undefined ? [] : [named],
        deep: how.deep ?? false,
        withoutSamples: how.named ?? false,
        now,
        probe: { level: how.probe ?? 'review', prober },
      });
      const formats = [undefined, 'wide', 'name', 'markdown', 'brief', 'html', 'junit', 'sarif'] as const;
      const texts = formats.map((format) =>
        renderReport(report, format, { ...look, all: format === 'wide' }),
      );
      return [...documents(report), ...(await Promise.all(texts))];
    });

const certificatesAsk: Asked = (way, now) =>
  onCluster(way, async (reader, prober) => {
    const report = await certCheck(reader, { callouts: [], now, prober });
    const formats = [undefined, 'wide', 'name', 'ics', 'junit'] as const;
    const texts = formats.map((format) => renderCertificateReport(report, format, look));
    const calendar = renderCertificateReport(report, undefined, { ...look, calendarDays: 90 });
    return [...documents(report), ...(await Promise.all([...texts, calendar]))];
  });

const listAsks: Asked = (way, now) =>
  onCluster(way, async (reader) => {
    const list = await listWebhooks(reader, { callouts: [], now });
    const formats = ['json', 'yaml', 'name', 'wide', undefined] as const;
    return Promise.all(formats.map((format) => renderList(list, format, look)));
  });

const whatIfAsks =
  (how: {
    readonly down?: 'each' | 'named';
    readonly coldStart?: true;
    readonly upgrade?: string;
    readonly failurePolicy?: string;
  }): Asked =>
  async (way, now, named) => {
    const { coldStart = false, upgrade, failurePolicy } = how;
    const report = await whatIfFor(
      {
        down: how.down === undefined ? [] : [how.down === 'each' ? 'each' : named],
        set: failurePolicy === undefined ? [] : [`${named}.failurePolicy=${failurePolicy}`],
        delete: [],
        ...(upgrade === undefined ? {} : { upgrade }),
        coldStart,
        deep: false,
        probe: 'review',
        now,
        sameCluster: '',
      },
      way,
    );
    const texts = [renderWhatIf(report, look), renderWhatIfMarkdown(report), renderWhatIfHtml(report)];
    return [...documents(report), ...texts];
  };

const traceAsks: Asked = async (way, now) => {
  const manifest = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked', namespace: 'default', labels: { app: 'asked' } },
    spec: { containers: [{ name: 'one', image: 'one' }] },
  });
  const report = await traceFor({ manifest, probe: 'none', secrets: false, now }, way);
  return [...documents(report), renderTrace(report, look)];
};

const explainAsks =
  (text: (named: string) => string): Asked =>
  async (way, now, named) => {
    const report = await explain({ texts: [text(named)], now, cluster: way });
    return [...documents(report), renderExplanation(report, look)];
  };

const alertsAsk: Asked = (way) => onCluster(way, async (reader) => [renderYaml(await alerts(reader, []))]);

/** Every command that reads a snapshot, in all of its formats. */
export const questions: Readonly<Record<string, Asked>> = {
  doctor: doctorAsks({}),
  'doctor NAME --samples none': doctorAsks({ named: true }),
  'doctor --deep': doctorAsks({ deep: true }),
  'doctor --probe none': doctorAsks({ probe: 'none' }),
  'cert-check': certificatesAsk,
  list: listAsks,
  'trace --probe none': traceAsks,
  'what-if --down each': whatIfAsks({ down: 'each' }),
  'what-if --down NAME': whatIfAsks({ down: 'named' }),
  'what-if --cold-start': whatIfAsks({ coldStart: true }),
  'what-if --upgrade': whatIfAsks({ upgrade: '1.37' }),
  'what-if --set': whatIfAsks({ failurePolicy: 'Fail' }),
  'explain, of a webhook': explainAsks(
    (named) =>
      `Error from server (InternalError): Internal error occurred: failed calling webhook "${named}": failed to call webhook: Post "https://a.b.svc:443/": dial tcp 10.0.0.1:443: connect: connection refused`,
  ),
  'explain, of none': explainAsks(() => 'x509: certificate signed by unknown authority'),
  'explain, unknown': explainAsks(() => 'all is well'),
  alerts: alertsAsk,
};

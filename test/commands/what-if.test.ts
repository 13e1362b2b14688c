import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { WhatIfReport } from '../../src/what-if/what-if-report.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { whatIfSchemaErrors } from '../support/schema.ts';

const [webhook, id] = ['lonely-policy', 'validating/lonely-policy/lonely-policy.example.com'];

describe('kubectl webhook what-if', () => {
  let server: DemoApiServer;
  let snapshot = '';
  before(async () => {
    const parts = scenarios.flatMap((one) => (one.slug === 'single-replica' ? one.parts : []));
    server = await startApiServer(clusterContent(parts, new Date()));
    const saved = await plugin(['snapshot', '-', '--kubeconfig', fileWith(server.kubeconfig())]);
    snapshot = fileWith(saved.stdout, 'snapshot.json');
  });
  after(() => server.stop());

  const run = (...args: string[]) =>
    inProcess(['what-if', ...args, '--kubeconfig', fileWith(server.kubeconfig())]);
  const asked = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '-o', 'json');
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as WhatIfReport;
    expect(whatIfSchemaErrors(document)).to.deep.equal([]);
    return { code, document };
  };

  it('predicts what a failed backend blocks', async () => {
    const { code, document } = await asked('--down', webhook);
    expect(document.changes.map(({ callout, from, to }) => [callout, from, to])).to.deep.equal([
      [id, 'healthy', 'failing'],
    ]);
    expect(document.changes[0]?.blocks).to.deep.equal(['create or update ConfigMaps in all namespaces']);
    expect(document.recovery?.order).to.have.lengthOf(1);
    expect(code).to.equal(1);
  });

  it('sends the same requests as doctor', async () => {
    const requests = async (...args: string[]) => {
      const { stderr } = await inProcess([...args, '-v', '6', '--kubeconfig', fileWith(server.kubeconfig())]);
      return stderr
        .split('\n')
        .flatMap((line) => /^[A-Z]+ \S+/.exec(line)?.[0] ?? [])
        .sort();
    };
    const doctor = await requests('doctor', '--probe', 'none');
    expect(doctor).to.have.length.greaterThan(9);
    for (const args of [['--down', webhook], ['--cold-start'], ['--down', 'each'], ['--upgrade', '1.37']])
      expect(await requests('what-if', ...args, '--probe', 'none')).to.deep.equal(doctor);
  });

  it('accepts the names of a workload, a namespace and a node', async () => {
    for (const args of [
      ['--down', 'deployment/lonely-policy', '-n', 'lonely'],
      ['--down', 'namespace/lonely'],
    ]) {
      const { document } = await asked(...args);
      expect(
        document.changes.map(({ to }) => to),
        args.join(' '),
      ).to.deep.equal(['failing']);
    }
  });

  it('prints the same for a snapshot, except for the cluster', async () => {
    for (const args of [['--down', webhook], ['--cold-start'], ['--down', 'each'], ['--delete', webhook]]) {
      const live = await asked(...args);
      const { stdout } = await inProcess(['what-if', ...args, '--from-snapshot', snapshot, '-o', 'json']);
      const recorded = JSON.parse(stdout) as WhatIfReport;
      const { takenAt: _, cluster: __, ...detail } = recorded;
      const { takenAt: ___, cluster: ____, ...now } = live.document;
      const timeless = (text: string) =>
        text.replaceAll(/ --kubeconfig [^"]*/g, '').replaceAll(/\d+(\.\d+)? (ms|s)\b/g, '');
      expect(timeless(JSON.stringify(detail))).to.equal(timeless(JSON.stringify(now)));
    }
  });

  it('applies --set before --down', async () => {
    const { code, document } = await asked('--set', `${webhook}.failurePolicy=Ignore`, '--down', webhook);
    expect(document.changes[0]?.effect).to.deep.equal({ from: 'none', to: 'fails-open' });
    expect(document.changes[0]?.unchecked).to.have.lengthOf(1);
    expect(code).to.equal(1);
  });

  it('compares what Pods serve with another caBundle', async () => {
    const file = fileWith(rootCertificates[0] ?? '', 'ca.crt');
    const { document } = await asked('--set', `${webhook}.caBundle=${file}`);
    expect(document.changes[0]?.error).to.include('x509: certificate signed by unknown authority');
  });

  it('predicts an upgrade', async () => {
    const { code, document } = await asked('--upgrade', '1.37');
    expect(document.changes).to.deep.equal([]);
    expect(code).to.equal(0);
  });

  it('prints text, YAML, Markdown and HTML', async () => {
    for (const [format, words] of [
      [undefined, 'Risk register'],
      ['yaml', 'kind: WhatIfReport'],
      ['markdown', '### Risk register'],
      ['html', '<svg role="img"'],
    ] as const) {
      const args = ['--down', 'each', ...(format === undefined ? [] : ['-o', format])];
      const run = format === undefined ? plugin : inProcess;
      const { stdout } = await run(['what-if', ...args, '--from-snapshot', snapshot]);
      expect(stdout).to.include(words);
      expect(stdout).to.include('lonely/lonely-policy');
    }
  });

  for (const [what, args, words] of [
    ['nothing', [], 'what-if requires --down, --cold-start, --upgrade, --set or --delete'],
    [
      'a webhook that is not there',
      ['--down', 'lonly-policy'],
      'this cluster has no webhook or APIService "lonly-policy"',
    ],
    ['a namespace that is not there', ['--down', 'namespace/lonly'], 'namespace "lonly" does not exist'],
    [
      'a workload that is not there',
      ['--down', 'deployment/x', '-n', 'lonely'],
      'namespace lonely has no Deployment "x"',
    ],
    [
      'a namespace without backends',
      ['--down', 'deployment/x', '-n', 'default'],
      'no webhook or APIService has its backend in namespace "default"',
    ],
    [
      'a node that is not there',
      ['--down', 'node/nowhere'],
      'no endpoint of any Service is on a node "nowhere"',
    ],
    [
      'a field that is none',
      ['--set', 'lonely-policy.color=red'],
      'invalid --set "lonely-policy.color=red": must be WEBHOOK.FIELD=VALUE',
    ],
    [
      'a policy that is none',
      ['--set', 'lonely-policy.failurePolicy=fail'],
      'invalid failurePolicy "fail": must be Fail or Ignore',
    ],
    [
      'a timeout that is none',
      ['--set', 'lonely-policy.timeoutSeconds=31'],
      'invalid timeoutSeconds "31": must be between 1 and 30',
    ],
    [
      'a selector that is none',
      ['--set', 'lonely-policy.objectSelector=a in b'],
      'invalid selector "a in b"',
    ],
    ['a file that is not there', ['--set', 'lonely-policy.caBundle=/no/such'], 'no such file'],
    ['a version that is not known', ['--upgrade', '1.99'], 'version "1.99" is not known'],
    ['a version that is not later', ['--upgrade', '1.30'], '--upgrade must name a later minor version'],
    ['a version that is none', ['--upgrade', 'next'], 'invalid version "next"'],
    ['each beside another', ['--down', 'each', '--down', 'lonely-policy'], '--down each cannot be combined'],
  ] as const) {
    it(`refuses ${what} with one sentence and exit code 2`, async () => {
      const { code, stdout, stderr } = await run(...args, '--probe', 'none');
      expect(stderr).to.include(words);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    });
  }

  it('refuses a caBundle that the API server does not store', async () => {
    const file = fileWith('no certificate', 'ca.crt');
    const { code, stderr } = await run('--set', `${webhook}.caBundle=${file}`);
    expect(stderr).to.include('unable to load root certificates');
    expect(code).to.equal(2);
  });
});

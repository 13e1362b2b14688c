import { expect } from 'chai';
import { catalogue } from '../../../src/checks/catalogue.ts';
import { exitCode } from '../../../src/cli/exit-code.ts';
import { certificateReport } from '../../../src/diagnose/certificates/build-certificate-report.ts';
import type { CertificateReport } from '../../../src/diagnose/certificates/certificate-report.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { reportDocument } from '../../../src/render/data-formats/document.ts';
import { renderJson } from '../../../src/render/data-formats/json.ts';
import {
  certificateReports,
  renderCertificateReport,
} from '../../../src/render/render-certificate-report.ts';
import { inDays } from '../../checks/tls/bundles.ts';
import {
  anotherRoot,
  ended,
  issued,
  kept,
  mounting,
  mountingConfigMap,
  pem,
  secret,
  served,
} from '../../checks/tls/serving.ts';
import { certificateSchemaErrors } from '../../support/schema.ts';
import { aggregatedApi, conversion, lists, objects, snapshotOf, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const good = issued();
const hostile = issued({
  root: { subject: { cn: 'evil\u001b[2J\nFAILING' } },
  server: { names: Array.from({ length: 10_000 }, (_, at) => ({ dns: `n${at}.example.com` })) },
});
const report = (facts: Partial<Facts>): CertificateReport => {
  const snapshot = snapshotOf(facts);
  return certificateReport(snapshot, snapshot.facts.callouts, catalogue);
};
const inSecret = {
  pods: lists({ 'shop/policy': [mounting()] }),
  secrets: objects(secret({ 'tls.crt': pem(good.presented), 'ca.crt': good.root })),
};

const cases: Readonly<Record<string, Partial<Facts>>> = {
  'nothing at all': {},
  'all kinds, of which nothing was read': { callouts: [webhook(), conversion(), aggregatedApi()] },
  'what is accepted': served(
    good.root,
    [{ presented: good.presented }, { presented: good.presented }],
    inSecret,
  ),
  'what is rejected': served(good.root, [{ presented: anotherRoot('x').presented }]),
  'one of two': served(good.root, [{ presented: anotherRoot('x').presented }, { presented: good.presented }]),
  'an alert': served(good.root, [ended('internal error')]),
  'a ConfigMap': served(good.root, [{ presented: good.presented }], {
    pods: lists({ 'shop/policy': [mountingConfigMap()] }),
    configMaps: objects(secret({ 'tls.crt': pem(good.presented) })),
  }),
  'a Secret alone': kept(good.root, secret({ 'tls.crt': pem(good.presented) })),
  'a Secret that nobody may read': kept(good.root, undefined, { secrets: forbidden('secrets') }),
  'a bundle that cannot be read': served('nonsense', [{ presented: good.presented }]),
  'hostile certificates': served(hostile.root, [
    { presented: hostile.presented },
    { presented: [Buffer.alloc(90_000, 0x30)] },
  ]),
};

const look = { colour: false, unicode: true, wide: false, all: false };

describe('CertificateReport', () => {
  it('names the source of a certificate, a ConfigMap or a Secret', () => {
    const { certificates, callouts } = report(cases['a ConfigMap'] ?? {});
    const lying = certificates.find(({ source }) => source === 'config-map');
    expect(lying).to.include({ configMap: 'shop/policy-tls', verdict: 'accepted' });
    expect(callouts.map(({ keptIn }) => keptIn)).to.deep.equal(['ConfigMap policy-tls']);
  });

  it('reports in few words that nothing listens', () => {
    const text =
      'error forwarding port 8443 to pod 0a1b, uid : …: connect: connection refused IPv6 dial tcp6: …';
    const refused = { stage: 'connect', kind: 'refused', text, milliseconds: 1 } as const;
    const { callouts } = report(served(good.root, [{ failure: refused }]));
    expect(callouts.map(({ why }) => why)).to.deep.equal([
      'no certificate was served: connection refused, nothing listens on the port',
    ]);
  });

  for (const [name, facts] of Object.entries(cases)) {
    it(`is valid by its schema for ${name}, and prints no control sequences`, async () => {
      const found = report(facts);
      expect(certificateSchemaErrors(JSON.parse(renderJson(reportDocument(found))))).to.deep.equal([]);
      for (const width of [80, 200]) {
        const look = { width, colour: false, unicode: true, wide: false, all: true };
        for (const format of [undefined, 'wide', 'name', 'yaml', 'ics'] as const) {
          const text = await renderCertificateReport(found, format, { ...look, wide: format === 'wide' });
          expect(text, `${format}`).to.not.match(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
        }
        const calendar = await renderCertificateReport(found, undefined, { ...look, calendarDays: 90 });
        expect(calendar).to.not.contain('\u001b');
      }
    });
  }

  it('prints a rejected webhook in the table, and its reason with the cause and a command once', async () => {
    const text = await renderCertificateReport(report(cases['what is rejected'] ?? {}), undefined, {
      width: 100,
      colour: false,
      unicode: true,
      wide: false,
      all: false,
    });
    expect(
      text.match(/rejected {2}policy\.example\.com: x509: certificate signed by unknown/g),
    ).to.have.length(1);
    expect(text.match(/The certificate that/g)).to.have.length(1);
    expect(text)
      .to.match(
        /^ {2}Manual fix {2}If the program creates the CA itself, restart the program.+\n.+rollout restart deployment\/policy\n(?:.+\n)+? {2}Details {5}kubectl webhook cert-check policy\.example\.com$/m,
      )
      .and.not.include('ERROR');
  });

  it('prints the first step only for a few rejected webhooks', async () => {
    const { callouts, findings, ...others } = report(cases['what is rejected'] ?? {});
    const text = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `w${at}`);
      const found = {
        ...others,
        callouts: names.map((configuration) => ({ ...callouts[0], configuration })),
        findings: names.flatMap((name) =>
          findings.map((one) => ({ ...one, callout: one.callout?.replace(/\/[^/]+/, `/${name}`) })),
        ),
      } as CertificateReport;
      return renderCertificateReport(found, undefined, { ...look, width: 100 });
    };
    expect(await text(3))
      .to.include('  Manual fix  ')
      .and.include('  Details     kubectl webhook cert-check');
    expect(await text(4))
      .to.include('  Details  kubectl webhook cert-check')
      .and.not.include('Manual fix');
  });

  it('has one entry per bundle, Secret and replica, with the API server’s error', () => {
    const { certificates, callouts } = report(cases['one of two'] ?? {});
    const rows = certificates.map(({ source, pod, verdict, error }) => [source, pod, verdict, error]);
    expect(rows).to.deep.equal([
      ['ca-bundle', undefined, 'accepted', undefined],
      ['served', 'policy-1', 'rejected', 'x509: certificate signed by unknown authority'],
      ['served', 'policy-2', 'accepted', undefined],
    ]);
    expect(callouts[0]?.state).to.equal('degraded');
    expect(callouts[0]?.replicas).to.deep.equal({ total: 2, served: 2, accepted: 1 });
  });

  it('does not count the certificates of a webhook that is never called', async () => {
    const [version] = conversion().versions;
    if (version === undefined) throw new Error('the CRD has no version');
    const single = conversion({ versions: [version], storedVersions: [version.name] });
    const found = report({ ...served('', [{ presented: good.presented }]), callouts: [single] });
    expect(found.callouts[0]).to.include({ neverCalled: true });
    expect(found.summary.callouts).to.include({ total: 1, rejected: 0, unknown: 0 });
    expect(found.findings.map(({ severity }) => severity)).to.not.include('error');
    expect(exitCode(found, 'error', undefined)).to.equal(0);
    expect(certificateSchemaErrors(JSON.parse(renderJson(reportDocument(found))))).to.deep.equal([]);
    const text = await renderCertificateReport(found, undefined, { ...look, width: 80 });
    expect(text).to.match(/1 webhook: 1 never called/);
    expect(text).to.not.include('rejected');
  });

  it('contains the first expiry that affects a call', () => {
    const chain = issued({ root: { notAfter: inDays(5) } });
    const [callout] = report(served(chain.root, [{ presented: chain.presented }])).callouts;
    expect(callout?.firstExpiry).to.deep.equal({ at: '2026-01-06T00:00:00Z', of: 'root-ca' });
  });

  it('reports a configuration without webhooks as one that nothing is called for', async () => {
    const found = { ...report({}), withoutWebhooks: ['validating/empty'] };
    expect(certificateSchemaErrors(found)).to.deep.equal([]);
    expect(exitCode(found, 'error', undefined)).to.equal(0);
    const look = { width: 80, colour: false, unicode: true, wide: false, all: false };
    const text = await renderCertificateReport(found, undefined, look);
    expect(text).to.include('validating/empty has no webhooks, so the API server calls nothing for it.');
    expect(text).to.not.include('Nothing is called over TLS');
  });

  it('has a row for each callout, in two lines if the columns do not fit, and its reason below', async () => {
    const found = report(served(good.root, [{ presented: anotherRoot('x').presented }], inSecret));
    const at = async (width: number) =>
      (await renderCertificateReport(found, undefined, { ...look, width })).split('\n\n');
    const [, table, reasons] = await at(80);
    expect(table?.split('\n')).to.deep.equal([
      'WEBHOOK             CA       SERVED           SECRET      EXPIRES     VERDICT',
      'policy.example.com  root-ca  0 of 1 accepted  policy-tls  in 80 days  ✖ rejected',
    ]);
    expect(reasons).to.match(/^✖ rejected {2}policy.example.com: x509: certificate(\n {2}| )signed/);
    const [, folded] = await at(60);
    expect(folded?.split('\n').slice(-3)).to.deep.equal([
      'policy.example.com',
      '  root-ca  0 of 1 accepted  policy-tls  in 80 days',
      '  ✖ rejected',
    ]);
  });

  it('prints a shared reason once, with its number', async () => {
    const [callout] = report(served(good.root, [ended('internal error')])).callouts;
    const callouts = ['a', 'b', 'c'].map((name) => ({ ...callout, configuration: name }));
    const found = { ...report({}), callouts } as CertificateReport;
    const text = await renderCertificateReport(found, undefined, { ...look, width: 120 });
    expect(text).to.match(/^\S \w+ {2}3 webhooks: /m);
    expect(text).to.not.include('validating/b/');
    const named = await renderCertificateReport(found, undefined, { ...look, width: 120, all: true });
    expect(named).to.include('validating/b/policy.example.com');
  });

  it('counts names, and prints a certificate once, whatever its number of sources', async () => {
    const names = ['policy-10', 'policy-9', 'policy-2'];
    const facts = served(good.root, [{ presented: good.presented }, { presented: good.presented }], inSecret);
    const found = report(facts);
    const [callout] = found.callouts;
    const all = { ...found, callouts: names.map((name) => ({ ...callout, configuration: name })) };
    const render = (format: 'wide' | undefined) =>
      renderCertificateReport(all as CertificateReport, format, {
        ...{ ...look, width: 120, all: true },
        wide: format === 'wide',
      });
    const lines = (await render(undefined)).split('\n').filter((line) => line.endsWith('✔ accepted'));
    expect(lines.map((line) => /policy-\d+/.exec(line)?.[0])).to.deep.equal(names.toReversed());
    const wide = await render('wide');
    const fingerprint = found.certificates.find(({ source }) => source === 'served')?.sha256 ?? 'none';
    expect(wide.split(fingerprint)).to.have.length(2);
    expect(wide).to.match(/Secret shop\/policy-tls: accepted\n {2}served by .*\n {2}served by .*\n {4}CN=/);
  });

  it('ends with 1 for certificates that are rejected or expire soon, with 3 for unreadable ones', () => {
    const fine = report(cases['what is accepted'] ?? {});
    const day = 24 * 60 * 60 * 1000;
    expect(exitCode(fine, 'error', undefined)).to.equal(0);
    expect(exitCode(fine, 'error', 30 * day)).to.equal(0);
    expect(exitCode(fine, 'error', 90 * day)).to.equal(1);
    expect(exitCode(report(cases['what is rejected'] ?? {}), 'error', undefined)).to.equal(1);
    expect(exitCode(report(cases['a Secret that nobody may read'] ?? {}), 'error', undefined)).to.equal(3);
  });

  it('has a row for an accepted certificate that expires within the given time, also with several clusters', async () => {
    const fine = report(cases['what is accepted'] ?? {});
    const day = 24 * 60 * 60 * 1000;
    const row = /^(?:\S+ +)?policy\.example\.com .* in 80 days +✔ accepted$/m;
    for (const [within, shown] of [
      [undefined, false],
      [30 * day, false],
      [90 * day, true],
    ] as const) {
      const wanted = { ...look, width: 120, within };
      const several = [...(await certificateReports([fine, fine], undefined, wanted))].join('');
      for (const text of [await renderCertificateReport(fine, undefined, wanted), several])
        expect(row.test(text), text).to.equal(shown);
    }
  });

  it('has the command for the details of each cluster in which a certificate is not accepted', async () => {
    const of = (context: string, facts: Partial<Facts>): CertificateReport => {
      const found = report(facts);
      return { ...found, cluster: { ...found.cluster, context } };
    };
    const reports = [
      of('fine', cases['what is accepted'] ?? {}),
      of('unread', cases['all kinds, of which nothing was read'] ?? {}),
      of('broken', cases['what is rejected'] ?? {}),
    ];
    const detailsOf = (context: string): string => `kubectl webhook cert-check --context ${context}`;
    const text = [...(await certificateReports(reports, undefined, { ...look, width: 200, detailsOf }))].join(
      '',
    );
    const next = [...text.matchAll(/Details +(.*)/g)].map(([, command]) => command);
    expect(next).to.deep.equal([detailsOf('broken'), detailsOf('unread')]);
    expect(text).to.match(/^unread · .*unknown\n {2}Details /m);
    expect(
      [...(await certificateReports(reports, undefined, { ...look, width: 200 }))].join(''),
    ).to.not.contain('Details');
  });
});

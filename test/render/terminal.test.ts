import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import stringWidth from 'string-width';
import type { FindingReport, NextCommand } from '../../src/diagnose/report.ts';
import { brief } from '../../src/phrases/brief.ts';
import { renderTerminal } from '../../src/render/terminal/render-terminal.ts';
import type { ReportLook } from '../../src/render/text/look.ts';
import { advising, calloutReport, findingReport, objectOf, reportOf } from '../support/report.ts';
import { pinned } from './golden.ts';
import { reports } from './reports.ts';

const plain: ReportLook = { width: 80, colour: false, unicode: true, wide: false, all: false };
const looks: Readonly<Record<string, ReportLook>> = {
  '80': plain,
  '120': { ...plain, width: 120, tookMs: 3100 },
  ascii: { ...plain, unicode: false },
  wide: { ...plain, width: 200, wide: true },
  all: { ...plain, all: true },
};
describe('the terminal report', () => {
  for (const [name, report] of Object.entries(reports)) {
    for (const [how, look] of Object.entries(looks)) {
      if (!/^\d+$/.test(how) && name !== 'several-broken') continue;
      it(`matches its golden file: ${name}, ${how}`, () =>
        pinned(`${name}.${how}`, renderTerminal(report, look)));
    }

    it(`is the same text in colour: ${name}`, () => {
      const coloured = renderTerminal(report, { ...plain, colour: true });
      expect(stripVTControlCharacters(coloured)).to.equal(renderTerminal(report, plain));
      expect(coloured).to.not.equal(renderTerminal(report, plain));
    });

    it(`is ASCII if the locale is: ${name}`, () => {
      expect(renderTerminal(report, { ...plain, unicode: false })).to.match(/^[\n\x20-\x7e]*$/);
    });
  }

  it('has a warning about responses in the verdict of healthy webhooks: a denial of everything is no failing call', () => {
    const verdict = (link: 'response' | 'scope') => {
      const one = findingReport(calloutReport(), { check: 'denies', severity: 'warning', link });
      return /^. No failing call found[^;]*/m.exec(
        renderTerminal(reportOf([calloutReport()], [one]), plain),
      )?.[0];
    };
    expect(verdict('response')).to.equal('▲ No failing call found, but a warning about responses');
    expect(verdict('scope')).to.equal('✔ No failing call found');
  });

  it('has the fix of each configuration, and the number of others, also if there are several causes', () => {
    const report = reports['several-broken'];
    if (report === undefined) throw new Error('no such report');
    const [story, ...others] = report.stories;
    const fixOf = (name: string, id: string, because?: string): NextCommand => ({
      when: 'fix',
      id,
      title: 'Changed',
      ...(because === undefined ? {} : { because }),
      command: { text: `kubectl webhook fix a:${name} --remedy ${id}`, runnable: true, placeholders: [] },
    });
    const more = 'and 40 more: kubectl webhook fix lists them';
    const next = [fixOf('one', 'x'), fixOf('two', 'x', more), fixOf('three', 'another')];
    const stories = story === undefined ? [] : [{ ...story, next }, ...others];
    const text = renderTerminal({ ...report, stories }, { ...plain, width: 200 });
    expect(text).to.include('fix a:one ').and.include('fix a:two ').and.not.include('fix a:three ');
    expect(text).to.include(`(${more})`);
  });

  it('shows what was not probed beside replicas, and where healthy callouts are listed', () => {
    const notTried = [{ what: 'a review', why: 'it may have side effects' }];
    const line = 'inconclusive: a review (it may have side effects)';
    const text = (state: 'degraded' | 'failing' | 'healthy' | 'unknown', look: Partial<ReportLook> = {}) =>
      renderTerminal(reportOf([calloutReport({ notTried, verdict: { state } })]), { ...plain, ...look });
    expect(text('unknown')).to.contain(line);
    expect(text('degraded', { details: true })).to.contain(line);
    expect(text('failing')).to.not.contain(line);
    expect(text('failing', { wide: true })).to.contain(line);
    expect(text('healthy')).to.not.contain(line);
    expect(text('healthy', { all: true })).to.contain(line);
    expect(text('healthy', { wide: true })).to.contain(line);
  });

  it('names the subjects of a kind of warning, and with --details prints each message once', () => {
    const warning = (id: string, message: string) =>
      findingReport(calloutReport({}), {
        ...{ id, check: 'x', callout: `validating/${id}`, message },
        ...{ severity: 'warning', title: 'Single Pod' },
      });
    const findings = [
      warning('a', 'Deployment one has one replica'),
      warning('b', 'Deployment one has one replica'),
      warning('c', 'Deployment two has one replica'),
    ];
    const text = (look: Partial<ReportLook> = {}) =>
      renderTerminal(reportOf([calloutReport({})], findings), { ...plain, ...look });
    expect(text()).to.contain('Single Pod (x)\n    validating/a, validating/b and 1 more\n');
    expect(text({ details: true })).to.contain('validating/a and 1 more: Deployment one has one replica');
    expect(text({ details: true })).to.contain('validating/c: Deployment two has one replica');
    expect(text({ all: true })).to.contain('validating/b: Deployment one has one replica');
  });

  it('divides the manual steps of a warning from a risk below it', () => {
    const warning = (check: string, link: 'response' | 'practice') =>
      findingReport(calloutReport({}), {
        ...{ id: check, check, callout: `validating/${check}`, message: check, link },
        ...{ severity: 'warning', title: check },
      });
    const text = renderTerminal(
      reportOf([calloutReport({})], [warning('now', 'response'), warning('later', 'practice')]),
      plain,
    );
    expect(text).to.match(/Manual fix .+\n(?: .+\n)*\n▲ warning +later/);
  });

  it('prints a consequence with its steps unless its cause about the same callout is printed with its own', () => {
    const finding = (check: string, link: 'tls' | 'response' | 'practice', over: object = {}) =>
      findingReport(calloutReport({}), {
        check,
        link,
        message: check,
        severity: 'warning',
        title: check,
        ...over,
      });
    const follows = finding('slow', 'response', { causedBy: 'first' });
    const text = (cause: FindingReport) =>
      renderTerminal(reportOf([calloutReport({})], [cause, follows]), plain);
    expect(text(finding('first', 'practice'))).to.match(/▲ warning +slow[^▲]+Manual fix .+slow/);
    expect(text(finding('first', 'tls', { callout: 'validating/x' }))).to.match(/▲ warning +slow/);
    expect(text(finding('first', 'tls', { severity: 'info' }))).to.match(/▲ warning +slow/);
    expect(text(finding('first', 'tls'))).to.not.match(/▲ warning +slow/);
  });

  it('names two of the subjects of one warning, and five with --details', () => {
    const findings = [...'abcdefg'].map((id) =>
      findingReport(calloutReport({}), {
        ...{ id, check: 'x', callout: `validating/${id}`, message: 'one replica' },
        ...{ severity: 'warning', title: 'Single Pod' },
      }),
    );
    const report = reportOf([calloutReport({ verdict: { state: 'healthy' } })], findings);
    expect(renderTerminal(report, plain)).to.contain('    validating/a, validating/b and 5 more\n');
    expect(renderTerminal(report, { ...plain, details: true })).to.match(/validating\/e and\s+2 more\n/);
  });

  it('keeps within 60 to 200 columns, except unbreakable text', () => {
    const callout = calloutReport({
      backend: { service: { namespace: 'a', name: 'b', port: 443 } },
      verdict: {
        ...{ state: 'degraded', link: 'response', because: ['x'], effect: 'fails-open' },
        error: 'failed calling webhook: context deadline exceeded '.repeat(9),
      },
      replicas: Array.from({ length: 12 }, () => ({ ready: true, state: 'ready', endpoint: '192.0.2.1:1' })),
    });
    const prose = 'one two three 漢字漢字 '.repeat(30).trim();
    const words = { message: prose, advice: advising(prose), why: prose, title: prose };
    const report = reportOf(
      [callout, calloutReport({ configuration: 'x', webhook: 'y' })],
      [
        findingReport(callout, {
          check: 'x',
          ...words,
          evidence: [{ object: objectOf('Pod a/b'), value: prose }],
        }),
        ...['a', 'b'].map((check) => findingReport(callout, { check, ...words, causedBy: 'x' })),
        findingReport(callout, { check: 'c', ...words }),
        findingReport(callout, { check: 'd', ...words, severity: 'warning' }),
        findingReport(callout, { check: 'd', ...words, severity: 'warning', message: `${prose} too` }),
      ],
      [{ what: 'secrets', why: 'timeout', detail: prose }],
    );
    for (const width of [60, 72, 80, 100, 119, 133, 200]) {
      const look = { ...plain, width, all: true, wide: true };
      const long = renderTerminal(report, look)
        .split('\n')
        .filter((line) => stringWidth(line) > width);
      expect(long, `${width} columns`).to.deep.equal([]);
    }
  });

  it('leaves out log lines and evidence that the message quotes completely, not those in it by chance', () => {
    const long = `cannot read the configuration ${'of the policy '.repeat(12)}at line 7`;
    const first = (quote: string, line: string, over: object = {}, advice = 'Fix it.') => {
      const callout = calloutReport({
        verdict: { state: 'failing', link: 'backend', because: ['x'], effect: 'blocks' },
        replicas: [
          { ready: false, state: 'crash-looping', pod: 'p', log: { container: 'c', lines: [line], ...over } },
        ],
      });
      const evidence = [{ object: objectOf('Pod a/b'), field: 'status.message', value: line }];
      return renderTerminal(
        reportOf(
          [callout],
          [
            findingReport(callout, {
              ...{ check: 'x', message: `Pod p fails: ${quote}`, evidence, advice: advising(advice) },
              values: [{ text: quote, isQuote: true }],
            }),
          ],
        ),
        {
          ...plain,
          width: 200,
        },
      );
    };
    expect(first('no licence', 'no licence')).to.not.match(/Log of|status\.message/);
    expect(first('error: no licence', 'error')).to.match(/Log of.*\n {6}error\n.*status\.message +error/s);
    expect(first(brief(long), long)).to.match(/Log of.*line 7.*status\.message.*line 7/s);
    const meant = { means: 'It has none.', meantLine: 0 };
    expect(first('no licence', 'no licence', meant, '[look] Read its log: `kubectl logs {pod}`.')).to.match(
      /\n {6}no licence\n {6}Means: It has none\./,
    );
    // A cause without a step about the log needs no explanation of it.
    expect(first('no licence', 'no licence', meant)).to.not.contain('Means');
  });

  it('names every callout that fails, with its state', () => {
    const output = renderTerminal(reports['several-broken'] ?? expect.fail(), plain);
    expect(output).to.match(/failing/i);
    for (const name of [
      'validate.kyverno.svc-fail',
      'validate.kyverno.svc-ignore',
      'validation.gatekeeper.sh',
    ])
      expect(output).to.include(name);
  });

  it('names healthy webhooks that this program made fail open, once per change, with the undo', () => {
    const opened = { change: 'c', at: '2025-12-31T23:00:00Z', undo: 'kubectl webhook undo c' };
    const open = ['a.example.com', 'b.example.com'].map((webhook) => calloutReport({ webhook, opened }));
    expect(renderTerminal(reportOf([...open, calloutReport()]), plain)).to.include(
      '▲ a.example.com and b.example.com respond, but are failed open by you, since\n  2025-12-31T23:00:00Z: kubectl webhook undo c\n',
    );
    // The command can be copied at every width.
    for (const width of [60, 70, 100, 106, 110])
      expect(renderTerminal(reportOf([...open]), { ...plain, width })).to.include('kubectl webhook undo c\n');
    expect(renderTerminal(reportOf([calloutReport()]), plain)).not.to.include('respond');
  });

  it('omits the log of a Pod if the network is at fault', () => {
    const log = { container: 'webhook', lines: ['error: leftover'] };
    const replica = { pod: 'policy-1', ready: true, state: 'ready' as const, log };
    const at = (link: 'network' | 'replica') => {
      const verdict = { state: 'failing' as const, link, because: ['cause'], effect: 'blocks' as const };
      const callout = calloutReport({ replicas: [replica], verdict });
      return renderTerminal(reportOf([callout], [findingReport(callout, { check: 'cause', link })]), plain);
    };
    expect(at('replica')).to.include('error: leftover');
    expect(at('network')).not.to.include('error: leftover');
  });

  it('prevents hostile text from moving the cursor or starting a line', () => {
    const output = renderTerminal(reports.hostile ?? expect.fail(), plain);
    expect(output).to.match(/^[\n\P{C}]*$/u);
    expect(output.split('\n').filter((line) => line.startsWith('✔'))).to.deep.equal([]);
  });

  it('breaks a command only where it can be pasted', () => {
    const look = { ...plain, width: 60, details: true };
    const output = renderTerminal(reports['several-broken'] ?? expect.fail(), look).replace(/ \\\n +/g, ' ');
    expect(output).to.include(
      'kubectl -n gatekeeper-system scale deployment/gatekeeper-controller-manager --replicas=2\n',
    );
    expect(output).to.include(
      '`kubectl get validatingwebhookconfiguration kyverno-resource-validating-webhook-cfg -o yaml --show-managed-fields`',
    );
  });
});

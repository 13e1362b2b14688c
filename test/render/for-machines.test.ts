import { expect } from 'chai';
import fc from 'fast-check';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { renderSarif } from '../../src/render/data-formats/sarif.ts';
import { renderHtml } from '../../src/render/html/render-html.ts';
import { renderReportJunit } from '../../src/render/junit/report-cases.ts';
import { block, code, escapedMarkdown, renderMarkdown } from '../../src/render/markdown/render-markdown.ts';
import { calloutReport, findingReport, reportOf, running } from '../support/report.ts';
import { validSarif } from '../support/sarif.ts';
import { listing } from '../support/unread.ts';
import { reports } from './reports.ts';

/** A report whose every text from a cluster is `text`. */
function saying(text: string): DoctorReport {
  const callout = calloutReport({
    configuration: text,
    webhook: text,
    backend: { url: text },
    replicas: [{ pod: text, ready: false, state: text, error: text }],
    verdict: {
      state: 'failing',
      link: 'routing',
      because: ['service-missing'],
      error: text,
      effect: 'blocks',
    },
  });
  const finding = findingReport(callout, {
    check: 'service-missing',
    message: text,
    subject: { kind: 'Service', namespace: text, name: text },
    evidence: [{ object: { kind: text, name: text }, field: text, value: text }],
    remedies: [{ id: 'fix-service-port', title: 'Title', command: running(`kubectl webhook fix ${text}`) }],
  });
  const { callout: _, ...other } = { ...finding, id: text };
  const report = reportOf([callout], [finding, other], [{ what: text, why: 'forbidden', detail: text }]);
  return { ...report, cluster: { server: text, context: text, version: text } };
}

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><svg onload=alert(1)>',
  ']]></failure><testcase name="green"/>',
  '<!-- ',
  '&lt;b&gt;&#x3c;',
  '```\n# Title\n@everyone [x](https://example.com)',
  '\u001b[2J\u0000\u202e\ufffe\ud800',
];
const text = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', minLength: 1 }));

/** Everything that looks like a tag. */
const tags = (markup: string): readonly string[] =>
  (markup.match(/<[/!a-z][^\s>]*/gi) ?? []).map((tag) => tag.toLowerCase());

describe('SARIF output', () => {
  for (const [title, report] of Object.entries(reports)) {
    it(`is valid by the schema, with a result for each finding: ${title}`, () => {
      const log = JSON.parse(renderSarif(report));
      validSarif(log);
      expect(validSarif.errors ?? []).to.deep.equal([]);
      const [run] = log.runs;
      expect(run.results).to.have.length(report.findings.length);
      for (const { ruleId, ruleIndex } of run.results)
        expect(run.tool.driver.rules[ruleIndex].id).to.equal(ruleId);
    });
  }

  it('names a rule by its check, whatever the titles of its findings', () => {
    const callout = calloutReport();
    const [title, checkTitle] = ['Deadlock: webhook refuses the DNS Pods that it needs', 'Deadlock'];
    const found = (over: Partial<FindingReport>) => findingReport(callout, { check: 'cycle', ...over });
    for (const findings of [
      [found({ title: checkTitle }), found({ title, checkTitle })],
      [found({ title, checkTitle }), found({ title: checkTitle })],
    ]) {
      const [run] = JSON.parse(renderSarif(reportOf([callout], findings))).runs;
      expect(run.tool.driver.rules).to.have.length(1);
      expect(run.tool.driver.rules[0].shortDescription.text).to.equal(checkTitle);
    }
  });

  it('is valid whatever a cluster contains', () => {
    fc.assert(
      fc.property(text, (detail) => {
        validSarif(JSON.parse(renderSarif(saying(detail))));
        expect(validSarif.errors ?? []).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
  });

  it('reports that it did not read everything', () => {
    const report = reportOf([], [], [{ what: listing('secrets', 'shop'), why: 'forbidden' }]);
    const [invocation] = JSON.parse(renderSarif(report)).runs[0].invocations;
    expect(invocation.executionSuccessful).to.equal(false);
    expect(invocation.toolExecutionNotifications[0].message.text).to.match(/secrets in namespace shop/);
  });
});

describe('JUnit output', () => {
  const broken = calloutReport({
    webhook: 'broken',
    verdict: { state: 'failing', link: 'routing', because: ['service-missing'], effect: 'blocks' },
  });
  const unknown = calloutReport({ webhook: 'unknown', verdict: { state: 'unknown' } });
  const report = reportOf(
    [broken, unknown, calloutReport()],
    [findingReport(broken, { check: 'service-missing', message: 'Service shop/policy does not exist' })],
    [{ what: 'nodes', why: 'forbidden' }],
  );

  it('fails what fails, and never passes what could not be read', () => {
    const xml = renderReportJunit(report);
    expect(xml).to.match(/tests="4" failures="1" errors="2"/);
    expect(xml).to.match(
      /name="broken" time="0">\s*<failure type="service-missing" message="Service shop\/policy does not exist">/,
    );
    expect(xml).to.match(/name="unknown" time="0">\s*<error /);
    expect(xml).to.match(/name="policy.example.com" time="0"\/>/);
    expect(xml).to.match(/classname="not-looked-at" name="nodes" time="0">\s*<error /);
  });

  it('contains no markup from a cluster, and no character that XML forbids', () => {
    const usual = tags(renderReportJunit(saying('usual')));
    fc.assert(
      fc.property(text, (detail) => {
        const xml = renderReportJunit(saying(detail));
        expect(tags(xml)).to.deep.equal(usual);
        expect(xml).to.not.match(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/u);
      }),
      { numRuns: 300 },
    );
  });
});

describe('HTML output', () => {
  const usual = tags(renderHtml(saying('usual')));

  it('contains no markup from a cluster', () => {
    fc.assert(
      fc.property(text, (detail) => {
        expect(tags(renderHtml(saying(detail)))).to.deep.equal(usual);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps texts of a cluster in its attributes', () => {
    const page = renderHtml(saying('" onclick="alert(1)'));
    expect(page).to.not.match(/<[^>]*\sonclick=/);
  });

  it('allows its own style and script only', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(renderHtml(saying('x'))) ?? [];
    expect(policy.replaceAll('&#39;', "'")).to.match(
      /^default-src 'none'; style-src 'sha256-\S+='; script-src 'sha256-\S+='; base-uri 'none'; form-action 'none'$/,
    );
  });

  it('loads nothing from other places', () => {
    expect(renderHtml(saying('x'))).to.not.match(/\s(src|href)=|url\(|@import/);
  });

  for (const [title, report] of Object.entries(reports)) {
    it(`has a picture for each callout: ${title}`, () => {
      expect(renderHtml(report).match(/<svg role="img"/g) ?? []).to.have.length(report.callouts.length);
    });
  }
});

describe('Markdown output', () => {
  it('shows text as text', () => {
    expect(escapedMarkdown('*a* [b](c) <d> @all | `e` #f')).to.equal(
      '\\*a\\* \\[b\\](c) &lt;d&gt; &#64;all \\| \\`e\\` #f',
    );
    expect(escapedMarkdown('# a\n- b\n1. c')).to.equal('\\# a\n\\- b\n\\1. c');
  });

  it('quotes backticks with more backticks', () => {
    expect(code('a `b` c')).to.equal('``a `b` c``');
    expect(code('`a')).to.equal('`` `a ``');
    expect(block('```\nx')).to.equal('````\n```\nx\n````');
  });

  it('prints what is broken, the API server’s error, and the advice', () => {
    const callout = calloutReport({
      verdict: { state: 'failing', because: ['service-missing'], error: 'no service', effect: 'blocks' },
      impact: {
        stops: [{ what: 'new Pods', request: 'CREATE pods', which: 'all' }],
        namespaces: { covered: 2, total: 3 },
      },
    });
    const finding = findingReport(callout, {
      check: 'service-missing',
      remedies: [{ id: 'x', title: 'X', command: running('kubectl webhook fix service-missing --remedy x') }],
    });
    const markdown = renderMarkdown(reportOf([callout], [finding], [{ what: 'nodes', why: 'forbidden' }]));
    expect(markdown).to.match(/^## Webhooks of prod-eu-1: 1 failing\n/);
    expect(markdown).to.include('```\nno service\n```');
    expect(markdown).to.include('**Blocks:** new Pods in 2 of 3 namespaces');
    expect(renderHtml(reportOf([callout], [finding]))).to.include(
      '<p><b>Blocks</b> new Pods in 2 of 3 namespaces</p>',
    );
    expect(markdown).to.include('```\nkubectl webhook fix service-missing --remedy x\n```');
    expect(markdown).to.match(/<summary>Not examined<\/summary>\n\n- nodes: forbidden/);
  });

  it('prints what else must run with the next command, on the HTML page, too', () => {
    const callout = calloutReport({ verdict: { state: 'failing', because: ['x'], effect: 'blocks' } });
    const command = running('kubectl webhook fix x --remedy y');
    const noted = {
      ...reportOf([callout], [findingReport(callout, { check: 'x' })]),
      next: { command, title: 'Y' },
    };
    const because = 'this alone does not end the deadlock; also run: z';
    for (const [note, holds] of [
      [undefined, false],
      [because, true],
    ] as const) {
      const report = { ...noted, next: { ...noted.next, ...(note === undefined ? {} : { because: note }) } };
      for (const page of [renderHtml(report), renderMarkdown(report)])
        expect(page.includes('also run: z')).to.equal(holds);
    }
  });

  it('never makes mentions or links from text of a cluster', () => {
    const markdown = renderMarkdown(saying('@all <b> [x](https://example.com)'));
    const outside = markdown.replace(/(`{3,})\n[\s\S]*?\n\1/g, '').replace(/(`+)[^`][\s\S]*?\1/g, '');
    expect(outside).to.not.match(/@all|<b>|(?<!\\)\[x/);
  });
});

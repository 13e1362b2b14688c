import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { renderHtml } from '../../src/render/html/render-html.ts';
import { renderReportJunit } from '../../src/render/junit/report-cases.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { advising, calloutReport, findingReport, reportOf, running } from '../support/report.ts';

const executablePath = '/usr/bin/chromium';

const hostile = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload="window.hacked = 1">',
  "' onmouseover='window.hacked = 1",
  '</style></script><script>window.hacked = 1</script>',
  '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://example.com">',
  '<a href="javascript:window.hacked = 1" id="lure">click</a>',
  '<form action="https://example.com"><input autofocus onfocus="window.hacked = 1"></form>',
];

/** A report with hostile text in every field from the cluster. */
function hostileReport(): DoctorReport {
  const callouts = hostile.map((text, at) =>
    calloutReport({
      configuration: text,
      webhook: `${at} ${text}`,
      backend: { url: text },
      replicas: [{ pod: text, ready: false, state: text, error: text }],
      verdict: {
        state: 'failing',
        link: 'routing',
        because: ['service-missing'],
        error: text,
        effect: 'blocks',
      },
    }),
  );
  const findings = callouts.map((callout, at) =>
    findingReport(callout, {
      check: 'service-missing',
      message: hostile[at] ?? '',
      advice: advising(hostile[at] ?? ''),
      evidence: [
        { object: { kind: hostile[at] ?? '', name: '' }, field: hostile[at] ?? '', value: hostile[at] ?? '' },
      ],
      remedies: [{ id: 'x', title: hostile[at] ?? '', command: running(hostile[at] ?? '') }],
    }),
  );
  const report = reportOf(callouts, findings, [
    { what: hostile.join(' '), why: 'forbidden', detail: hostile.join() },
  ]);
  const [text = ''] = hostile;
  return { ...report, cluster: { server: text, context: text, version: text } };
}

describe('the HTML report, in Chromium', () => {
  let browser: Browser;
  before(async function () {
    if (!existsSync(executablePath)) {
      if (process.env.CI === 'true')
        throw new Error('Nothing may be skipped in CI: chromium is not installed');
      console.log('  skipped: chromium is not installed');
      return this.skip();
    }
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath, args });
  });
  after(() => browser?.close());

  /** The page, all of its requests, and its console errors. */
  async function open(html: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage({ ...options, offline: true });
    const [requests, refused, complaints]: [string[], string[], string[]] = [[], [], []];
    page.on('request', (request) => requests.push(request.url()));
    page.on('requestfailed', (request) => refused.push(`${request.url()} ${request.failure()?.errorText}`));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`file://${fileWith(html, 'report.html')}`);
    return { page, requests, refused, complaints };
  }

  const shown = (page: Page): Promise<number> => page.locator('article:visible').count();

  it('shows hostile text of a cluster as text, without effect', async () => {
    const report = hostileReport();
    const { page, requests, complaints } = await open(renderHtml(report));
    for (const text of hostile) expect(await page.locator('main').textContent()).to.include(text);
    for (const details of await page.locator('summary').all()) await details.click();
    await page.mouse.move(200, 300);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(
      await page.locator('main script, main img, main iframe, main a, main input, main meta').count(),
    ).to.equal(0);
    expect(requests).to.have.length(1);
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('runs no script and loads nothing of others, even with injected markup', async () => {
    const html = renderHtml(reportOf([calloutReport()])).replace(
      '<main>',
      `<main>${hostile.filter((text) => !text.includes('refresh')).join('')}<img src="https://example.com/x.png"><style>body{background:url(https://example.com/y)}</style>`,
    );
    const { page, refused } = await open(html);
    await page.waitForLoadState();
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
    expect(refused.map((line) => line.replace(/^.*\/(?=x)/, ''))).to.deep.equal(['x csp', 'x.png csp']);
    await page.close();
  });

  it('is filtered by state and by text', async () => {
    const { stdout } = await plugin(['demo', '-o', 'html']);
    const { page, complaints } = await open(stdout);
    const all = await shown(page);
    const failing = await page.locator('article.failing').count();
    expect(failing).to.be.greaterThan(0).and.lessThan(all);
    await page.locator('input[value=healthy]').uncheck();
    expect(await page.locator('article.healthy:visible').count()).to.equal(0);
    expect(await shown(page))
      .to.be.greaterThan(0)
      .and.lessThan(all);
    await page.getByRole('searchbox').fill('service-port-missing CA-INJECTOR');
    expect(await shown(page)).to.equal(1);
    expect(await page.locator('output').textContent()).to.equal(`1 of ${all}`);
    await page.getByRole('searchbox').fill('no such words');
    expect(await shown(page)).to.equal(0);
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('draws the chain of each callout, with a text alternative', async () => {
    const { stdout } = await plugin(['demo', 'crash-loop', '-o', 'html']);
    const { page } = await open(stdout);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const picture = page.getByRole('img').first();
    const box = await picture.boundingBox();
    expect(box?.width).to.be.greaterThan(600);
    expect(await picture.getAttribute('aria-label')).to.match(
      /registration: good, routing: good, backend: broken/,
    );
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is readable in ${colorScheme}, and fits a phone`, async () => {
      const { page } = await open(renderHtml(hostileReport()), {
        colorScheme,
        viewport: { width: 390, height: 800 },
      });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide).to.be.at.most(390);
      const colours = await page.evaluate(
        '[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]',
      );
      const light = (colour: string): boolean =>
        (colour.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) > 128);
      expect((colours as string[]).map(light)).to.deep.equal(
        colorScheme === 'light' ? [false, true] : [true, false],
      );
      await page.close();
    });
  }

  it('is complete without scripts', async () => {
    const { page } = await open(renderHtml(hostileReport()), { javaScriptEnabled: false });
    expect(await shown(page)).to.equal(hostile.length + 1);
    expect(await page.locator('form').isVisible()).to.equal(false);
    await page.close();
  });

  it('is printed on a few pages: what was opened is whole, and the rest is its cause', async () => {
    const callouts = Array.from({ length: 12 }, (_, at) =>
      calloutReport({
        configuration: `policy-${at}`,
        verdict: { state: 'failing', link: 'routing', because: ['service-missing'], effect: 'blocks' },
      }),
    );
    const findings = callouts.map((callout) => findingReport(callout, { check: 'service-missing' }));
    const page = await browser.newPage();
    try {
      await page.setContent(renderHtml(reportOf(callouts, findings)));
      const pages = async (): Promise<number> =>
        (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length ?? 0;
      expect(await pages()).to.be.within(1, 3);
      const open = page.locator('article details').first();
      await open.locator('summary').click();
      await page.emulateMedia({ media: 'print' });
      const height = async (at: number): Promise<number> =>
        (await page.locator('article').nth(at).boundingBox())?.height ?? 0;
      expect(await height(0)).to.be.greaterThan(3 * (await height(1)));
    } finally {
      await page.close();
    }
  });

  it('has an XML report that is well-formed whatever a cluster contains', async () => {
    const { page } = await open(renderHtml(reportOf([])));
    const xml = renderReportJunit(hostileReport());
    const found = await page.evaluate(
      `(() => { const d = new DOMParser().parseFromString(${JSON.stringify(xml)}, 'application/xml');
        return [d.querySelectorAll('parsererror').length, d.querySelectorAll('testcase').length]; })()`,
    );
    expect(found).to.deep.equal([0, hostile.length + 1]);
    await page.close();
  });
});

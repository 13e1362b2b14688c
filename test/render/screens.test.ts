import { expect } from 'chai';
import stringWidth from 'string-width';
import type { DemoApiServer } from '../../src/demo/api-server/server.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { renderReport } from '../../src/render/render-report.ts';
import { narrowedText } from '../../src/render/terminal/style.ts';
import { fileWith } from '../support/plugin.ts';
import { examine, look, screens } from './first-screens.ts';
import { pinned } from './golden.ts';

describe('first screens', () => {
  for (const [name, screen] of Object.entries(screens)) {
    const { start, user, lines } = screen;
    describe(name, function () {
      this.timeout(600_000);
      let server: DemoApiServer;
      let kubeconfig = '';
      let report: DoctorReport;
      before(async () => {
        server = await start();
        kubeconfig = fileWith(user === undefined ? server.kubeconfig() : server.kubeconfig(user));
        report = await examine(kubeconfig, screen);
      });
      after(() => server.stop());

      for (const width of [80, 100, 120]) {
        it(`matches its golden file at ${width} columns, and no line is wider`, async () => {
          const output = (await renderReport(report, undefined, { ...look, width }))
            .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-02T02:29:05Z')
            .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
            // Whatever checks there are.
            .replace(/^(Other findings: (?:\d+ failures?, )?).*(?= \(--details)/m, '$1…');
          pinned(`screens/${name}.${width}`, output);
          expect(output.split('\n').filter((line) => stringWidth(line) > width)).to.deep.equal([]);
        });
      }

      it('fits terminals of 40 and 60 columns: no name is cut, and only commands and addresses are wider', async () => {
        for (const width of [40, 60]) {
          const output = await renderReport(report, undefined, { ...look, width, details: true });
          const shown = narrowedText(output, width);
          expect(shown.replace(/\s/g, '')).to.equal(output.replace(/\s/g, ''));
          const lines = shown.replace(/ \\\n +/g, ' ').split('\n');
          expect(
            lines.filter((line) => stringWidth(line) > width && !/kubectl |:\/\//.test(line)),
          ).to.deep.equal([]);
        }
      });

      it(`takes at most ${lines} lines at 100 columns`, async () => {
        const output = await renderReport(report, undefined, { ...look, width: 100 });
        expect(output.trimEnd().split('\n').length).to.be.at.most(lines);
      });

      it('is at most 60 lines of Markdown, and 15 to paste into a channel', async () => {
        const [markdown, brief] = await Promise.all(
          (['markdown', 'brief'] as const).map((format) =>
            renderReport(report, format, { ...look, width: 100 }),
          ),
        );
        // On a busy machine, the Pods respond slowly.
        const lines = (markdown ?? '').trimEnd().split('\n');
        expect(lines.filter((line) => !line.includes('(`response-slow`)')).length).to.be.at.most(60);
        expect(brief?.trimEnd().split('\n').length).to.be.at.most(15);
      });

      it('has a row of Markdown for every cause', async () => {
        const markdown = await renderReport(report, 'markdown', { ...look, width: 100 });
        for (const {
          callouts: [first = ''],
        } of report.stories.slice(0, 15))
          expect(markdown).to.match(new RegExp(`^\\| \\S+ \\w+ \\| \`${first}\``, 'm'));
      });
    });
  }
});

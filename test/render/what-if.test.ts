import { expect } from 'chai';
import { renderWhatIfHtml } from '../../src/render/html/what-if-html.ts';
import { renderWhatIf, renderWhatIfMarkdown } from '../../src/render/what-if/render-what-if.ts';
import { ask, clusterOf } from '../what-if/clusters.ts';

const look = { width: 100, colour: false, unicode: true };
const names = ['a', 'b', 'c'].map((name) => ({ name, of: name === 'c' ? ['shop'] : ['a', 'b'] }));

describe('what-if, rendered', () => {
  const report = ask(clusterOf(names), [], { rank: true });
  const cold = ask(clusterOf(names), [], { coldStart: true });

  it('shows the risk register as a table, the worst first', () => {
    const lines = renderWhatIf(report, look).split('\n');
    const head = lines.findIndex((line) => /^#\s+EFFECT\s+BACKEND/.test(line));
    expect(lines[head + 1]).to.match(/^1\s+blocks\s+[ab]\/[ab]\s+1\s+deadlock\s+1 workload$/);
    expect(renderWhatIfMarkdown(report)).to.match(/^\| 1 \| blocks \| [ab]\/[ab] \|/m);
  });

  it('omits from the risk register what the failure of a backend does not block', () => {
    const [first] = report.ranking ?? [];
    if (first === undefined) throw new Error('nothing is ranked');
    for (const width of [80, 100]) {
      const ranking = [
        { ...first, stops: [] },
        { ...first, stops: [], blocks: [], unchecked: [] },
      ];
      const text = renderWhatIf({ ...report, ranking }, { ...look, width });
      expect(text).to.match(
        /\n# +EFFECT +BACKEND +READY +OWN PODS\n1 .+ deadlock\n( {5,}\S.*\n)+1 .+ deadlock\n\n/,
      );
    }
  });

  it('shows how to end a deadlock', () => {
    expect(renderWhatIf(cold, look)).to.include('kubectl webhook failopen validating/');
    expect(renderWhatIf(cold, look)).to.include('2 webhooks and APIServices get worse');
  });

  it('draws rounds and cycles, with a text alternative', () => {
    const ring = ['a', 'b', 'c'].map((name, at) => ({ name, of: [['b'], ['a'], ['shop']][at] ?? [] }));
    const page = renderWhatIfHtml(ask(clusterOf(ring), [], { coldStart: true }));
    expect(page).to.match(
      /aria-label="starts in round 1: Deployment c\/c; deadlock: Deployment [ab]\/[ab], Deployment [ab]\/[ab]"/,
    );
    expect(page.match(/class="arrow bad"/g)?.length).to.be.at.least(2);
  });

  it('keeps a table of a thousand backends short on a terminal', () => {
    const [first] = report.ranking ?? [];
    if (first === undefined) throw new Error('nothing is ranked');
    const long = {
      ...report,
      ranking: Array.from({ length: 1000 }, (_, at) => ({ ...first, rank: at + 1 })),
    };
    expect(renderWhatIf(long, look).split('\n').length).to.be.below(80);
    expect(renderWhatIf(long, look)).to.include('and 975 more');
  });

  it('prints no control character of names', () => {
    const evil = '\u001b[2J<script>alert(1)</script>';
    const text = JSON.stringify(cold).replaceAll('Deployment a/a', JSON.stringify(evil).slice(1, -1));
    const hostile = JSON.parse(text) as typeof cold;
    expect(JSON.stringify(hostile)).to.include('<script>');
    expect(renderWhatIf(hostile, look)).to.not.include('\u001b');
    expect(renderWhatIfHtml(hostile)).to.not.include('<script>');
    expect(renderWhatIfMarkdown(hostile)).to.not.include('<script>');
  });
});

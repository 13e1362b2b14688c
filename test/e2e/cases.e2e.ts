import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { whyNot } from '../cluster/ways-in.ts';
import type { Case } from './cases/case.ts';
import { cases } from './cases/catalogue.ts';
import { writeIndex, writePage } from './cases/pages.ts';
import { openStage } from './cases/stage.ts';

const update = process.env.UPDATE !== undefined;
/** The names of some cases. */
const wanted = process.env.CASE?.split(',');
const played = cases.filter(({ name }) => wanted?.includes(name) ?? true);

describe('cases from practice', function () {
  needs('node');
  this.timeout(process.env.RUNS === undefined ? 600_000 : 3_600_000);
  let scene: Scene;
  let kubeconfig = '';
  const plays = new Map<string, Promise<void>>();

  async function play(one: Case): Promise<void> {
    const { stage, page } = await openStage(one, scene, kubeconfig);
    await one.play(stage);
    if (update) writePage(one.name, page());
  }

  before(async () => {
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    scene = await openScene(cluster.client);
    for (const one of played.filter(({ needs: need }) => need === undefined || whyNot(need) === undefined)) {
      const playing = play(one);
      // The case itself reports the error.
      playing.catch(() => undefined);
      plays.set(one.name, playing);
    }
    if (update) writeIndex(cases);
  });
  after(async function () {
    this.timeout(60_000);
    await scene?.leave();
  });

  for (const one of played) {
    it(one.title, async function () {
      if (one.needs !== undefined && whyNot(one.needs) !== undefined) this.skip();
      const playing = plays.get(one.name) ?? play(one);
      // A retry starts again.
      plays.delete(one.name);
      await playing;
    });
  }
});

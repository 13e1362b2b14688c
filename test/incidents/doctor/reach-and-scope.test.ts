import { describeDoctor } from '../diagnosed.ts';
import { reachAndScope } from '../states/reach-and-scope.ts';

describeDoctor('reach and scope', reachAndScope);

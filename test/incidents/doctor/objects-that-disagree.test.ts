import { describeDoctor } from '../diagnosed.ts';
import { objectsThatDisagree } from '../states/objects-that-disagree.ts';

describeDoctor('objects that disagree', objectsThatDisagree);

import { describeDoctor } from '../diagnosed.ts';
import { certificateWriters } from '../states/certificate-writers.ts';
import { certificates } from '../states/certificates.ts';

describeDoctor('certificates', [...certificates, ...certificateWriters]);

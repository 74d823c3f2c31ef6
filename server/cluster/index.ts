export { createRayJobs, type RayOptions } from './ray-jobs.ts';

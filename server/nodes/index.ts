export { createNodes, type Nodes, type NodeView } from './nodes.ts';

// The SDK of the Model Context Protocol, and how inputs of tools are described. scripts/bundle.js keeps it apart: no other
// command pays for it.
export { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
export { z } from 'zod';

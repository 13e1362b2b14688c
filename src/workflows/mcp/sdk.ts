// The SDK of the Model Context Protocol, and schemas for inputs of tools. scripts/bundle.js puts it in its
// own chunk, so that no other command loads it.
export { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
export { z } from 'zod';

"""Starts an MCP server and calls its tools: a JSON object a line in, its answer a line out."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main(command, *arguments):
    async with Client(StdioServerParameters(command=command, args=list(arguments))) as client:
        tools = (await client.list_tools()).tools
        print(json.dumps({"tools": [tool.name for tool in tools]}), flush=True)
        for line in sys.stdin:
            call = json.loads(line)
            result = await client.call_tool(call["tool"], call["arguments"])
            answer = {"error": result.content[0].text} if result.is_error else result.structured_content
            print(json.dumps(answer), flush=True)


asyncio.run(main(*sys.argv[1:]))

// A server that does nothing but answer the same bytes, in a process of its own: how fast Node itself is on this machine.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const { body, headers } = JSON.parse(process.env['ANSWER'] ?? '') as { body: string; headers: Record<string, string> }
const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`))

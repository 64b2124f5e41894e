// A server that sends the same response to every request, in its own process: a baseline for the speed of Node.js on
// this machine.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const { body, headers } = JSON.parse(process.env['RESPONSE'] ?? '') as { body: string; headers: Record<string, string> }
const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://localhost:${(server.address() as AddressInfo).port}`))

import { createSocket } from 'node:dgram'
import { type AddressInfo, isIP } from 'node:net'
import { decode, encode, type Packet } from 'dns-packet'

/** A simulated DNS server of another organisation: TXT records over UDP (RFC 1035). */
export interface NameServer {
  /** `address:port`, in the format of DNS_RESOLVER. */
  address: string
  /** The TXT records by name; other names get NXDOMAIN. A text is ASCII, and split into strings of 255 bytes. */
  records: Map<string, string[]>
  /** `silent` never responds, `broken` responds with SERVFAIL. */
  behaviour: 'normal' | 'silent' | 'broken'
  close: () => Promise<void>
}

/** The AA flag of a response (RFC 1035, section 4.1.1). */
const authoritativeAnswer = 1 << 10
/** Response codes (RFC 1035, section 4.1.1). */
const serverFailure = 2
const nameError = 3

/** Starts a name server on a free port of this machine. */
export async function startNameServer(host = '127.0.0.1'): Promise<NameServer> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4')
  await new Promise<void>((resolve) => socket.bind(0, host, resolve))
  const { port } = socket.address() as AddressInfo
  const server: NameServer = {
    address: `${host}:${port}`,
    records: new Map(),
    behaviour: 'normal',
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
  socket.on('message', (message, { port, address }) => {
    if (server.behaviour !== 'silent') socket.send(buildResponse(server, decode(message)), port, address)
  })
  return server
}

function buildResponse({ records, behaviour }: NameServer, { id = 0, questions = [] }: Packet): Buffer {
  const [question] = questions
  const texts = question?.type === 'TXT' ? records.get(question.name.toLowerCase()) : undefined
  const nameExists = question !== undefined && records.has(question.name.toLowerCase())
  const name = question?.name ?? '.'
  return encode({
    id,
    type: 'response',
    flags: authoritativeAnswer | (behaviour === 'broken' ? serverFailure : nameExists ? 0 : nameError),
    questions,
    answers: (texts ?? []).map((text) => ({ type: 'TXT', name, ttl: 0, data: splitText(text) })),
  })
}

const splitText = (text: string) => text.match(/.{1,255}/gs) ?? ['']

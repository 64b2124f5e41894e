import { createSocket } from 'node:dgram'
import { type AddressInfo, isIP } from 'node:net'
import { decode, encode, type Packet } from 'dns-packet'

/** A name server of another company: TXT records over UDP (RFC 1035). */
export interface NameServer {
  /** `address:port`, in the format of DNS_RESOLVER. */
  address: string
  /** The TXT records by name; a missing name does not exist. A record longer than 255 bytes is split. */
  records: Map<string, string[]>
  /** `silent` never answers, `broken` answers with SERVFAIL. */
  behaviour: 'fine' | 'silent' | 'broken'
  close: () => Promise<void>
}

const isAuthoritative = 1 << 10
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
    behaviour: 'fine',
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
    flags: isAuthoritative | (behaviour === 'broken' ? serverFailure : nameExists ? 0 : nameError),
    questions,
    answers: (texts ?? []).map((text) => ({ type: 'TXT', name, ttl: 0, data: splitText(text) })),
  })
}

const splitText = (text: string) => text.match(/.{1,255}/gs) ?? ['']

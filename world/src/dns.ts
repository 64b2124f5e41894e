import { createSocket } from 'node:dgram'
import { type AddressInfo, isIP } from 'node:net'
import { decode, encode, type Packet } from 'dns-packet'

/** The name server of another company: TXT records, told over UDP (RFC 1035). */
export interface NameServer {
  /** `address:port`, as DNS_RESOLVER takes it. */
  address: string
  /** What is at a name; nobody there: the name does not exist. A record longer than 255 bytes is sent in parts. */
  records: Map<string, string[]>
  /** `silent` never answers, `broken` answers with SERVFAIL. */
  mood: 'fine' | 'silent' | 'broken'
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
    mood: 'fine',
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
  socket.on('message', (message, { port, address }) => {
    if (server.mood !== 'silent') socket.send(answer(server, decode(message)), port, address)
  })
  return server
}

function answer({ records, mood }: NameServer, { id = 0, questions = [] }: Packet): Buffer {
  const [question] = questions
  const found = question?.type === 'TXT' ? records.get(question.name.toLowerCase()) : undefined
  const isThere = question !== undefined && records.has(question.name.toLowerCase())
  const name = question?.name ?? '.'
  return encode({
    id,
    type: 'response',
    flags: isAuthoritative | (mood === 'broken' ? serverFailure : isThere ? 0 : nameError),
    questions,
    answers: (found ?? []).map((text) => ({ type: 'TXT', name, ttl: 0, data: partsOf(text) })),
  })
}

const partsOf = (text: string) => text.match(/.{1,255}/gs) ?? ['']

import { EventEmitter, on } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import PostalMime, { type Address } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { pageOf } from './page.ts'

/** A mail as it came. */
export interface ReceivedMail {
  id: number
  /** To whom the envelope said, which need not be what the headers say. */
  recipients: string[]
  from: { name: string; address: string }
  to: { name: string; address: string }[]
  subject: string
  text: string
  html: string
  headers: { name: string; value: string }[]
  receivedAt: string
}

export interface RunningMailServer {
  /** What to hand mails over to: `smtp://127.0.0.1:…`. */
  smtpUrl: string
  /** Where people see what came; programs read `/mails`, the latest first. */
  url: string
  mails: () => ReceivedMail[]
  /** The first mail to an address, from now or before; waits for it. */
  firstTo: (address: string) => Promise<ReceivedMail>
  /** Answers the next so many mails with this code instead of taking them, such as 451. */
  refuse: (times: number, code: number) => void
  stop: () => Promise<void>
}

/** A mail server that takes everything, for whomever it is, passes nothing on, and shows it to whoever asks. */
export async function startMailServer({ port = 0, smtpPort = 0 } = {}): Promise<RunningMailServer> {
  const mails: ReceivedMail[] = []
  const events = new EventEmitter()
  let refusal = { times: 0, code: 451 }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusal.times > 0) {
          refusal = { ...refusal, times: refusal.times - 1 }
          return callback(Object.assign(new Error('Not now'), { responseCode: refusal.code }))
        }
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        void read(Buffer.concat(chunks), recipients, mails.length + 1).then((mail) => {
          mails.unshift(mail)
          events.emit('mail', mail)
          callback()
        }, callback)
      })
    },
  })
  await new Promise<void>((resolve, reject) => {
    smtp.on('error', reject)
    smtp.listen(smtpPort, '127.0.0.1', resolve)
  })

  const app = new Hono()
  app.get('/', (c) => c.html(page(mails)))
  app.get('/mails', (c) => c.json(mails))
  const { http, address } = await new Promise<{ http: ReturnType<typeof serve>; address: AddressInfo }>((resolve) => {
    const http = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => resolve({ http, address }))
  })
  const isTo = (wanted: string) => (mail: ReceivedMail) =>
    mail.recipients.some((one) => one.toLowerCase() === wanted.toLowerCase())
  return {
    smtpUrl: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    url: `http://127.0.0.1:${address.port}`,
    mails: () => mails,
    firstTo: async (wanted) => {
      const there = mails.findLast(isTo(wanted))
      if (there) return there
      for await (const [mail] of on(events, 'mail')) if (isTo(wanted)(mail)) return mail
      throw new Error('Stopped')
    },
    refuse: (times, code) => {
      refusal = { times, code }
    },
    stop: async () => {
      await new Promise<void>((resolve) => void smtp.close(() => resolve()))
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function read(source: Buffer, recipients: string[], id: number): Promise<ReceivedMail> {
  const { from, to, subject, text, html, headers } = await PostalMime.parse(source)
  const mailbox = (one: Address | undefined) => ({
    name: one?.name ?? '',
    address: one?.address ?? '',
  })
  return {
    id,
    recipients,
    from: mailbox(from),
    to: (to ?? []).map(mailbox),
    subject: subject ?? '',
    text: text ?? '',
    html: html ?? '',
    headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    receivedAt: new Date().toISOString(),
  }
}

/** What came, the latest first; what a mail says can do nothing here but be followed. */
function page(mails: ReceivedMail[]) {
  return pageOf(
    `Mails (${mails.length})`,
    html`<h1>Mails</h1>
<p>Everything that Passport mailed, to whomever. Nothing leaves this machine.</p>
${mails.length === 0 ? html`<p>None yet.</p>` : ''}
${mails.map(
  ({ subject, recipients, from, text, receivedAt }) => html`<article>
<h2>${subject}</h2>
<p class="from">From ${from.name || from.address} to ${recipients.join(', ')}, ${receivedAt}</p>
<pre>${linked(text)}</pre>
</article>`,
)}`,
    html`<meta http-equiv="refresh" content="5">`,
  )
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

const linked = (text: string) =>
  raw(
    text
      .split(/(https?:\/\/\S+)/)
      .map((part, at) => (at % 2 ? `<a href="${escaped(part)}" rel="noreferrer">${escaped(part)}</a>` : escaped(part)))
      .join(''),
  )

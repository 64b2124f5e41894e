import { EventEmitter, on } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import PostalMime, { type Address } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { renderPage } from './page.ts'
import { serveApp } from './serve-app.ts'

/** An email as received. */
export interface ReceivedMail {
  id: number
  /** The recipients of the envelope, which may differ from the headers. */
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
  /** The SMTP URL to send emails to: `smtp://127.0.0.1:…`. */
  smtpUrl: string
  /** The URL of the page that lists the emails; `/mails` has them as JSON, newest first. */
  url: string
  /** Returns all emails, newest first. */
  listMails: () => ReceivedMail[]
  /** Returns the first email to an address; waits for it if none has arrived. */
  waitForMailTo: (address: string) => Promise<ReceivedMail>
  /** Rejects the next emails with this SMTP code, such as 451. */
  rejectNext: (times: number, code: number) => void
  stop: () => Promise<void>
}

/** Starts a mail server that accepts every email, delivers none, and shows them to anyone. */
export async function startMailServer({ port = 0, smtpPort = 0 } = {}): Promise<RunningMailServer> {
  const mails: ReceivedMail[] = []
  const events = new EventEmitter()
  let rejection = { times: 0, code: 451 }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (rejection.times > 0) {
          rejection = { ...rejection, times: rejection.times - 1 }
          const [to] = session.envelope.rcptTo
          const message = `Not now for <${to?.address}>`
          return callback(Object.assign(new Error(message), { responseCode: rejection.code }))
        }
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        void parseMail(Buffer.concat(chunks), recipients, mails.length + 1).then((mail) => {
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
  app.get('/', (c) => c.html(renderMails(mails)))
  app.get('/mails', (c) => c.json(mails))
  app.get('/mails/:id/html', (c) => {
    const mail = mails.find(({ id }) => String(id) === c.req.param('id'))
    if (!mail?.html) return c.notFound()
    // Links open in another tab, and nothing else works.
    c.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src *; sandbox allow-popups allow-popups-to-escape-sandbox",
    )
    return c.html(`<base target="_blank">${mail.html}`)
  })
  const served = await serveApp(app, port)
  const isTo = (recipient: string) => (mail: ReceivedMail) =>
    mail.recipients.some((candidate) => candidate.toLowerCase() === recipient.toLowerCase())
  return {
    smtpUrl: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    url: `http://127.0.0.1:${served.port}`,
    listMails: () => mails,
    waitForMailTo: async (recipient) => {
      const existing = mails.findLast(isTo(recipient))
      if (existing) return existing
      for await (const [mail] of on(events, 'mail')) if (isTo(recipient)(mail)) return mail
      throw new Error('Stopped')
    },
    rejectNext: (times, code) => {
      rejection = { times, code }
    },
    stop: async () => {
      await new Promise<void>((resolve) => void smtp.close(() => resolve()))
      await served.stop()
    },
  }
}

async function parseMail(source: Buffer, recipients: string[], id: number): Promise<ReceivedMail> {
  const { from, to, subject, text, html, headers } = await PostalMime.parse(source)
  const mailbox = (entry: Address | undefined) => ({
    name: entry?.name ?? '',
    address: entry?.address ?? '',
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

/** Renders the emails, newest first; their content is inert except for links. */
function renderMails(mails: ReceivedMail[]) {
  return renderPage(
    `Emails (${mails.length})`,
    html`<h1>Emails</h1>
<p>All emails that Passport sent, to any recipient. Nothing leaves this machine.</p>
${mails.length === 0 ? html`<p>None yet.</p>` : ''}
${mails.map(
  ({ id, subject, recipients, from, text, html: designed, receivedAt }) => html`<article>
<h2>${subject}</h2>
<p class="from">From ${from.name || from.address} to ${recipients.join(', ')}, ${receivedAt}${designed ? html` · <a href="/mails/${id}/html">As it looks</a>` : ''}</p>
<pre>${linkUrls(text)}</pre>
</article>`,
)}`,
    html`<meta http-equiv="refresh" content="5">`,
  )
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

const linkUrls = (text: string) =>
  raw(
    text
      .split(/(https?:\/\/\S+)/)
      .map((part, index) =>
        index % 2 ? `<a href="${escapeHtml(part)}" rel="noreferrer">${escapeHtml(part)}</a>` : escapeHtml(part),
      )
      .join(''),
  )

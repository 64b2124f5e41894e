import { Hono } from 'hono'
import { html } from 'hono/html'
import { startNameServer } from './dns.ts'
import { renderPage } from './page.ts'
import { serveApp } from './serve-app.ts'

/** A page to edit TXT records of any domain, and the name server that serves them. */
export interface Registrar {
  url: string
  /** `address:port`, in the format of DNS_RESOLVER. */
  nameServer: string
  stop: () => Promise<void>
}

/** Starts a registrar without ownership checks, on which anyone can add and delete records of any domain. */
export async function startRegistrar({ port = 0 } = {}): Promise<Registrar> {
  const dns = await startNameServer()
  const app = new Hono()
  app.get('/', (c) => c.html(renderRecords(dns.records, c.req.query())))
  app.post('/', async (c) => {
    const { name = '', text = '' } = await c.req.parseBody<{ name?: string; text?: string }>()
    const key = name.trim().toLowerCase().replace(/\.$/, '')
    if (key && text.trim()) dns.records.set(key, [...(dns.records.get(key) ?? []), text.trim()])
    return c.redirect('/', 303)
  })
  app.post('/delete', async (c) => {
    const { name = '' } = await c.req.parseBody<{ name?: string }>()
    dns.records.delete(name)
    return c.redirect('/', 303)
  })
  const served = await serveApp(app, port)
  return {
    url: `http://127.0.0.1:${served.port}`,
    nameServer: dns.address,
    stop: async () => {
      await served.stop()
      await dns.close()
    },
  }
}

/** Renders the records, and a form for another, filled in with `name` and `text`. */
const renderRecords = (records: Map<string, string[]>, { name = '', text = '' }: Record<string, string>) =>
  renderPage(
    'Domains',
    html`<h1>Domains</h1>
<p>Every domain is yours here. Only Passport reads TXT records from this registrar.</p>
${[...records].map(
  ([name, texts]) => html`<article>
<h2>${name}</h2>
${texts.map((text) => html`<p><code>${text}</code></p>`)}
<form method="post" action="/delete" style="padding: 0; margin: 0"><button name="name" value="${name}" aria-label="Delete ${name}">Delete</button></form>
</article>`,
)}
<form method="post">
<h2>A TXT record</h2>
<label>Name <input name="name" value="${name}" required placeholder="_passport.example.com" autocapitalize="off" spellcheck="false"></label>
<label>Text <input name="text" value="${text}" required autocapitalize="off" spellcheck="false"></label>
<button>Add</button>
</form>`,
  )

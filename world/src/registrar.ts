import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { startNameServer } from './dns.ts'
import { pageOf } from './page.ts'

/** Where whoever owns domains writes TXT records, and the name server that tells them. */
export interface Registrar {
  url: string
  /** `address:port`, as DNS_RESOLVER takes it. */
  nameServer: string
  stop: () => Promise<void>
}

/** A registrar that believes everyone: any domain is theirs. */
export async function startRegistrar({ port = 0 } = {}): Promise<Registrar> {
  const names = await startNameServer()
  const app = new Hono()
  app.get('/', (c) => c.html(page(names.records)))
  app.post('/', async (c) => {
    const { name = '', text = '' } = await c.req.parseBody<{ name?: string; text?: string }>()
    const key = name.trim().toLowerCase().replace(/\.$/, '')
    if (key && text.trim()) names.records.set(key, [...(names.records.get(key) ?? []), text.trim()])
    return c.redirect('/', 303)
  })
  app.post('/delete', async (c) => {
    const { name = '' } = await c.req.parseBody<{ name?: string }>()
    names.records.delete(name)
    return c.redirect('/', 303)
  })
  const { http, address } = await new Promise<{ http: ReturnType<typeof serve>; address: AddressInfo }>((resolve) => {
    const http = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => resolve({ http, address }))
  })
  return {
    url: `http://127.0.0.1:${address.port}`,
    nameServer: names.address,
    stop: async () => {
      await new Promise((resolve) => http.close(resolve))
      await names.close()
    },
  }
}

const page = (records: Map<string, string[]>) =>
  pageOf(
    'Domains',
    html`<h1>Domains</h1>
<p>Every domain is yours here. Passport asks this registrar for TXT records, and nobody else does.</p>
${[...records].map(
  ([name, texts]) => html`<article>
<h2>${name}</h2>
${texts.map((text) => html`<p><code>${text}</code></p>`)}
<form method="post" action="/delete" style="padding: 0; margin: 0"><button name="name" value="${name}" aria-label="Delete ${name}">Delete</button></form>
</article>`,
)}
<form method="post">
<h2>A TXT record</h2>
<label>Name <input name="name" required placeholder="_passport.example.com" autocapitalize="off" spellcheck="false"></label>
<label>Text <input name="text" required autocapitalize="off" spellcheck="false"></label>
<button>Add</button>
</form>`,
  )

import { Resolver } from 'node:dns/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startRegistrar } from './registrar.ts'

test('the name server returns records entered on the page until they are deleted', async () => {
  const registrar = await startRegistrar()
  onTestFinished(registrar.stop)
  const resolver = new Resolver()
  resolver.setServers([registrar.nameServer])
  const post = (path: string, form: Record<string, string>) =>
    fetch(registrar.url + path, { method: 'POST', body: new URLSearchParams(form) })

  await post('/', { name: '_Passport.Example.com.', text: ' first <b> ' })
  await post('/', { name: '_passport.example.com', text: 'second' })
  expect(await resolver.resolveTxt('_passport.example.com')).toEqual([['first <b>'], ['second']])
  const page = await (await fetch(registrar.url)).text()
  expect(page).toContain('<code>first &lt;b&gt;</code>')

  await post('/delete', { name: '_passport.example.com' })
  await expect(resolver.resolveTxt('_passport.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

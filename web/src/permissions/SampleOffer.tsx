import { importPermissions } from '@passport/contract/permissions'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { toast } from '../ui/toast.ts'

/** Where nothing is defined yet: a small company to try the tools on. */
export function SampleOffer() {
  const [isBusy, setBusy] = useState(false)
  async function load() {
    setBusy(true)
    try {
      const { default: yaml } = await import('@passport/permissions/sample.yaml?raw')
      const { relationships } = await call(importPermissions, { query: {}, body: yaml })
      await queryClient.invalidateQueries()
      void toast({ type: 'success', content: `The sample is here: a schema and ${relationships} relationships` })
    } catch (error) {
      void toast({ type: 'error', content: `Not loaded: ${failureOf(error).detail}` })
    }
    setBusy(false)
  }
  return (
    <section aria-label="Nothing is defined yet" className="rounded-box border border-line bg-card">
      <Empty kind="nothing yet" title="Nothing is defined yet">
        <p>
          Write a schema below, import a validation file, or begin with a sample: a small company with groups, folders
          and documents, a ban and a condition.
        </p>
        <Button look="primary" className="mt-4" isBusy={isBusy} onClick={() => void load()}>
          Load the sample
        </Button>
      </Empty>
    </section>
  )
}

import { importPermissions } from '@passport/contract/permissions'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { toast } from '../ui/toast.ts'

/** Offers a sample company while nothing is defined. */
export function SampleOffer() {
  const [isBusy, setBusy] = useState(false)
  async function load() {
    setBusy(true)
    try {
      const { default: yaml } = await import('@passport/permissions/sample.yaml?raw')
      const { relationships } = await call(importPermissions, { query: {}, body: yaml })
      await queryClient.invalidateQueries()
      void toast({ type: 'success', content: `Sample loaded: a schema and ${relationships} relationships` })
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't load the sample: ${toFailure(error).detail}` })
    }
    setBusy(false)
  }
  return (
    <section aria-label="No permissions defined yet" className="rounded-box border border-line bg-card">
      <Empty kind="nothing yet" title="No permissions defined yet">
        <p>
          Write a schema below, import a validation file, or start with a sample: a small company with groups, folders,
          documents, a ban and a caveat.
        </p>
        <Button variant="primary" className="mt-4" isBusy={isBusy} onClick={() => void load()}>
          Load sample
        </Button>
      </Empty>
    </section>
  )
}

import { getPermissionStatus, importPermissions, type PermissionStatus } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { isDirectoryType, type SchemaWithETag, useSchema } from '../permissions/schema.ts'
import { ToolHeader } from '../permissions/ToolHeader.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { AssertionsCard } from './AssertionsCard.tsx'
import { EngineCard } from './EngineCard.tsx'
import { FilesCard } from './FilesCard.tsx'
import { QuestionCards } from './QuestionCards.tsx'
import { SchemaCard } from './SchemaCard.tsx'
import { WhatIfCard } from './WhatIfCard.tsx'

/** The entry page of the permission tools: the questions, the engine, the schema and the assertions. */
export function PermissionsPage() {
  const schema = useSchema()
  const isUndefined = schema.data && isEmpty(schema.data)
  const status = useQuery({ ...query(getPermissionStatus, {}), refetchInterval: 15_000 })
  return (
    <div className="max-w-[1240px]">
      <ToolHeader
        title="Permissions"
        description="Manage the schema and relationships, and check who can access what."
      />
      <QuestionCards />
      <div className="mt-6 grid grid-cols-1 gap-6">
        {schema.error && <ErrorCard failure={toFailure(schema.error)} onRetry={() => void schema.refetch()} />}
        {isUndefined && <SampleOffer />}
        {isUndefined === false && status.data?.can.suppose && <WhatIfCard />}
        <EngineCard status={status} />
        {schema.isPending && (
          <div className="rounded-box border border-line bg-card pt-5">
            <Skeleton label="Loading schema" rows={8} rowClass="h-5" />
          </div>
        )}
        {schema.data && <SchemaCard schema={schema.data} />}
        <AssertionsCard />
        <FilesCard isAtomic={canImportAtomically(status.data)} />
      </div>
    </div>
  )
}

/** Whether only the directory's types are defined. */
const isEmpty = ({ definitions }: SchemaWithETag) => definitions.every(({ name }) => isDirectoryType(name))

const canImportAtomically = (status: PermissionStatus | undefined) => status?.can.importAtOnce ?? true

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

import { getPermissionStatus, importPermissions, listAssertions } from '@passport/contract/permissions'
import { useMutation, useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { listPages } from '../app/destinations.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Tile, TileGrid } from '../app/Tile.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { isDirectoryType } from '../permissions/reference.ts'
import { useSchema } from '../permissions/schema.ts'
import { useWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ToolHeader } from '../ui/ToolHeader.tsx'
import { AssertionsCard } from './AssertionsCard.tsx'
import { EngineCard } from './EngineCard.tsx'
import { FileActions } from './FileActions.tsx'
import { SchemaCard } from './SchemaCard.tsx'
import { WhatIfCard } from './WhatIfCard.tsx'

/** The entry page of the permission tools: the schema, the assertions and the engine on one screen. */
export function PermissionsPage() {
  const schema = useSchema()
  // Only the directory's types are defined.
  const isEmpty = schema.data?.definitions.every(({ name }) => isDirectoryType(name))
  const status = useQuery({ ...query(getPermissionStatus, {}), refetchInterval: 15_000 })
  const { data: saved } = useQuery(query(listAssertions, {}))
  const copyConfig = useCopyAsConfig(
    schema.data && saved
      ? { permissions: { schema: schema.data.text, assertions: saved.items.map(({ assertion }) => assertion) } }
      : undefined,
  )
  const hasWhatIf = useWhatIf() !== undefined
  const [isTrying, setTrying] = useState(hasWhatIf)
  // The card stays open after its own button has cleared the changes.
  useEffect(() => {
    if (hasWhatIf) setTrying(true)
  }, [hasWhatIf])
  const canTry = isEmpty === false && status.data?.can.suppose === true
  return (
    <div>
      <ToolHeader
        title="Schema"
        description="Types, their relations and permissions, and who can access what."
        action={
          <>
            {/* Shown disabled until the status is loaded, so that the page does not move. */}
            {isEmpty !== true && status.data?.can.suppose !== false && (
              <Button aria-expanded={isTrying} disabled={hasWhatIf || !canTry} onClick={() => setTrying(!isTrying)}>
                <FlaskConical size={16} aria-hidden="true" />
                What if
              </Button>
            )}
            <FileActions isAtomic={status.data?.can.importAtOnce ?? true} />
          </>
        }
        menu={<PageMenu copyConfig={copyConfig} />}
      />
      <div className="grid grid-cols-1 gap-4">
        {schema.error && <ErrorCard failure={toFailure(schema.error)} onRetry={() => void schema.refetch()} />}
        {isEmpty && <SampleOffer />}
        {canTry && isTrying && <WhatIfCard />}
        <div className="cols">
          <div className="grid grid-cols-1 gap-4">
            {schema.data ? (
              <SchemaCard schema={schema.data} />
            ) : (
              <div className="h-[26rem] card pt-5 sm:h-[calc(clamp(20rem,100dvh-15rem,30rem)+3.45rem)]">
                {schema.isPending && <Skeleton label="Loading schema" rows={8} rowClass="h-5" />}
              </div>
            )}
            <TileGrid label="Tools">
              {tools.map((page) => (
                <Tile key={page.to} {...page} />
              ))}
            </TileGrid>
          </div>
          <div className="grid grid-cols-1 gap-4">
            <AssertionsCard />
            <EngineCard status={status} />
          </div>
        </div>
      </div>
    </div>
  )
}

const tools = listPages('Permissions').slice(1)

/** Offers a sample company while nothing is defined. */
function SampleOffer() {
  const loading = useMutation({
    mutationFn: async () => {
      const { default: yaml } = await import('@passport/permissions/sample.yaml?raw')
      const { relationships } = await call(importPermissions, { query: {}, body: yaml })
      await queryClient.invalidateQueries()
      reportSuccess(`Sample loaded: a schema and ${relationships} relationships`)
    },
    onError: (error) => reportFailure('load the sample', error),
  })
  return (
    <section aria-label="No permissions defined yet" className="card">
      <Empty kind="nothing yet" title="No permissions defined yet">
        <p>
          Write a schema below, import a validation file, or start with a sample: a small company with groups, folders,
          documents, a ban and a caveat.
        </p>
        <Button variant="primary" className="mt-4" isBusy={loading.isPending} onClick={() => loading.mutate()}>
          Load sample
        </Button>
      </Empty>
    </section>
  )
}

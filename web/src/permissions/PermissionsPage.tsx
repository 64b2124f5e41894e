import { getPermissionStatus, type PermissionStatus } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { query, toFailure } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AssertionsCard } from './AssertionsCard.tsx'
import { EngineCard } from './EngineCard.tsx'
import { FilesCard } from './FilesCard.tsx'
import { QuestionCards } from './QuestionCards.tsx'
import { SampleOffer } from './SampleOffer.tsx'
import { SchemaCard } from './SchemaCard.tsx'
import { isDirectoryType, type SchemaWithETag, useSchema } from './schema.ts'
import { ToolHeader } from './ToolHeader.tsx'
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

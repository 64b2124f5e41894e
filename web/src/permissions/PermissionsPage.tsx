import { getPermissionStatus, type PermissionStatus } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { failureOf, query } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AssertionsCard } from './AssertionsCard.tsx'
import { EngineCard } from './EngineCard.tsx'
import { FilesCard } from './FilesCard.tsx'
import { QuestionCards } from './QuestionCards.tsx'
import { SampleOffer } from './SampleOffer.tsx'
import { SchemaCard } from './SchemaCard.tsx'
import { SupposeCard } from './SupposeCard.tsx'
import { isOfDirectory, type KnownSchema, useSchema } from './schema.ts'
import { ToolHead } from './ToolHead.tsx'

/** The way into the permission tools: what can be asked, what answers, and what it answers from. */
export function PermissionsPage() {
  const schema = useSchema()
  const isUndefined = schema.data && isEmpty(schema.data)
  const status = useQuery({ ...query(getPermissionStatus, {}), refetchInterval: 15_000 })
  return (
    <div className="max-w-[1240px]">
      <ToolHead
        title="Permissions"
        about="Who may do what, and why: a schema, the relationships of things, and questions."
      />
      <QuestionCards />
      <div className="mt-6 grid grid-cols-1 gap-6">
        {schema.error && <ErrorCard failure={failureOf(schema.error)} onRetry={() => void schema.refetch()} />}
        {isUndefined && <SampleOffer />}
        {isUndefined === false && status.data?.can.suppose && <SupposeCard />}
        <EngineCard status={status} />
        {schema.isPending && (
          <div className="rounded-box border border-line bg-card pt-5">
            <Skeleton label="Loading the schema" rows={8} rowClass="h-5" />
          </div>
        )}
        {schema.data && <SchemaCard schema={schema.data} />}
        <AssertionsCard />
        <FilesCard isAtomic={canImportAtOnce(status.data)} />
      </div>
    </div>
  )
}

/** Nothing is defined but what the directory is. */
const isEmpty = ({ definitions }: KnownSchema) => definitions.every(({ name }) => isOfDirectory(name))

const canImportAtOnce = (status: PermissionStatus | undefined) => status?.can.importAtOnce ?? true

import { Loaded } from '../app/Loaded.tsx'
import { useSchema } from '../permissions/schema.ts'
import { resourceDirection } from './directions.tsx'
import { LookupTable } from './LookupTable.tsx'
import { printSubjectType } from './lookup-search.ts'
import { countSharedColumns } from './lookups.ts'

/** A user's permissions in applications, each with its path. */
export function UserPermissions({ userId }: { userId: string }) {
  const object = { type: 'passport/user', id: userId }
  return (
    <Loaded query={useSchema()} label="Loading permissions" rows={2}>
      {(schema) => {
        const tables = resourceDirection.findTables(schema, {}, { object, options: {} }, undefined)
        if (tables.length === 0) return <p className="text-ink2">No app defines permissions for directory users.</p>
        return (
          <div className="grid grid-cols-1 gap-3">
            {tables.map((table) => (
              <LookupTable
                key={printSubjectType(table.resultType)}
                table={table}
                columnCount={countSharedColumns(tables)}
              />
            ))}
          </div>
        )
      }}
    </Loaded>
  )
}

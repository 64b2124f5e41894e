import { useCallback, useState } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { isDirectoryType } from '../permissions/reference.ts'
import { type SchemaWithETag, useSchema } from '../permissions/schema.ts'
import { resourceDirection } from './directions.tsx'
import { LookupTable, type Totals } from './LookupTable.tsx'
import { printSubjectType } from './lookup-search.ts'
import { countSharedColumns, type ResultTable } from './lookups.ts'

/** A user's permissions in applications, each with its path. */
export function UserPermissions({ userId }: { userId: string }) {
  return (
    <Loaded query={useSchema()} label="Loading permissions" rows={2}>
      {(schema) => {
        const tables = findTables(schema, userId)
        if (tables.length === 0) return <Nothing>No app defines permissions for directory users</Nothing>
        return <Tables key={userId} tables={tables} />
      }}
    </Loaded>
  )
}

/** Returns a table for each type. Memberships in the directory are no permissions, and have their own cards. */
function findTables(schema: SchemaWithETag, userId: string): ResultTable[] {
  const hasPermissions = (type: string) =>
    schema.definitions.some(({ name, permissions }) => name === type && permissions.length > 0)
  return resourceDirection
    .findTables(schema, {}, { object: { type: 'passport/user', id: userId }, options: {} }, undefined)
    .filter(({ resultType: { type } }) => !isDirectoryType(type) || hasPermissions(type))
}

/** The tables with results. */
function Tables({ tables }: { tables: ResultTable[] }) {
  /** Whether each table that has loaded is empty. */
  const [loaded, setLoaded] = useState<ReadonlyMap<string, boolean>>(new Map())
  const onLoaded = useCallback((type: string, { isEmpty }: Totals) => {
    setLoaded((before) => (before.get(type) === isEmpty ? before : new Map(before).set(type, isEmpty)))
  }, [])
  const types = tables.map(({ resultType }) => printSubjectType(resultType))
  if (types.every((type) => loaded.get(type))) return <Nothing>No permissions in applications</Nothing>
  return (
    <div className="grid grid-cols-1 gap-4">
      {tables.map((table, index) => (
        // A table is hidden until the tables above it can no longer push it down.
        <div
          key={types[index]}
          className={types.slice(0, index).every((type) => loaded.has(type)) ? 'empty:hidden' : 'hidden'}
        >
          <LookupTable table={table} columnCount={countSharedColumns(tables)} onLoaded={onLoaded} maxRows={5} />
        </div>
      ))}
    </div>
  )
}

const Nothing = ({ children }: { children: string }) => (
  <p className="card px-4 py-3 text-ink2 sm:px-[18px]">{children}</p>
)

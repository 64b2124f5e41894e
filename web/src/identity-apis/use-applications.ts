import { type Client, listClients } from '@passport/contract/clients'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'

/** The first 200 applications by client id, for their names; undefined until they are loaded. */
export function useApplications(): ReadonlyMap<string, Client> | undefined {
  const { data } = useQuery(query(listClients, { query: { limit: 200 } }))
  return data && new Map(data.items.map((client) => [client.clientId, client]))
}

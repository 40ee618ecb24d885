import { action, sql, Type } from '@chowk/kit/kernel';
import { testModule } from './test-module.ts';

/** A module with a sequence, a generated column, a foreign key, a trigger and a table without primary key. */
export const notesModule = testModule({
  alias: 'notes',
  migration: `
    CREATE TABLE notes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      text text NOT NULL,
      length int GENERATED ALWAYS AS (length(text)) STORED,
      reply_to bigint REFERENCES notes
    );
    CREATE TABLE note_counts (count int);
    INSERT INTO note_counts VALUES (0);
    CREATE FUNCTION count_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE note_counts SET count = count + 1;
      RETURN NULL;
    END $$;
    CREATE TRIGGER notes_counted AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION count_note();`,
  actions: {
    'notes.create': action({
      summary: 'Create a note',
      http: 'POST /notes',
      needs: 'notes.create',
      audited: false,
      input: Type.Object({ text: Type.String() }),
      run: async (ctx, { text }) => {
        const row = await ctx.db.row<{ id: number }>(sql`INSERT INTO notes (text) VALUES (${text}) RETURNING id`);
        return { id: row?.id };
      },
    }),
  },
});

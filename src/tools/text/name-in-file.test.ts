import { expect, test } from "vitest";
import { nameInFile } from "./layouts.ts";

const check = (name: string, path: string, shown: string) =>
  test(`${name} in ${path}`, () => expect(nameInFile(name, path)).toBe(shown));

check("alembic.autogenerate.api.Context.run", "alembic/autogenerate/api.py", "Context.run");
check("flask.app.Flask.run", "src/flask/app.py", "Flask.run");
check("app.createApp", "src/app.ts", "createApp");
check("types::User::has_role", "src/types.rs", "User::has_role");
// A package is named by its directory.
check("cobra.Command.Execute", "cobra/command.go", "Command.Execute");
check("gin.Engine.Run", "engine.go", "gin.Engine.Run");
check("com.acme.Cart.total", "src/main/java/com/acme/Cart.java", "Cart.total");
// Only whole names, from the first one on.
check("api.Context", "src/my_api.py", "api.Context");
check("other.api.Context", "src/api.py", "other.api.Context");
// Never the symbol's own name.
check("app.app", "src/app.ts", "app");
check("app", "src/app.ts", "app");

/** Routes to handlers and to the requests that reach them, on small trees in the shape of real applications. */
import { describe, expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { Tree } from "../../test/kit/references.ts";
import { connectionsOf } from "./connections.ts";
import { referenceRules } from "./reference-rules.ts";

/** `KEY path:line → path handler` of every route of a tree, then `use KEY path:line match` of every request. */
async function routesOf(tree: Tree): Promise<string[]> {
  const { at } = await indexTree(tree);
  const connections = await connectionsOf(at, referenceRules);
  const { definitions, uses } = await connections.all("route");
  const named = async (to: { path: string; index: number } | undefined) => {
    if (to === undefined) return "?";
    const { symbols } = await at.record((await at.file(to.path))!);
    return `${to.path} ${symbols[to.index]!.name}`;
  };
  const lines: string[] = [];
  for (const it of definitions) lines.push(`${it.name} ${it.path}:${it.line} → ${await named(it.to)}`);
  for (const it of uses) lines.push(`use ${it.name} ${it.path}:${it.line} ${it.resolution}`);
  return lines.sort();
}

function check(what: string, tree: Tree, ...expected: string[]): void {
  test(what, async () => expect(await routesOf(tree)).toEqual([...expected].sort()));
}

describe("Express", () => {
  check(
    "routers in other files under the prefixes of both mounts, wrapped handlers, chains, requests",
    {
      "app.js":
        "const express = require('express');\nconst routes = require('./routes');\nconst app = express();\napp.use('/v1', routes);\napp.get('/health', (req, res) => res.end());\n",
      "routes/index.js":
        "const express = require('express');\nconst users = require('./users');\nconst router = express.Router();\nrouter.use('/users', users);\nmodule.exports = router;\n",
      "routes/users.js":
        "const express = require('express');\nconst controller = require('../controller');\nconst router = express.Router();\nrouter.get('/', auth(), controller.list);\nrouter\n  .route('/:id')\n  .get(wrap(controller.show))\n  .delete(auth('admin'), controller.remove);\nmodule.exports = router;\n",
      "controller.js":
        "const list = async (req, res) => {};\nconst show = (req, res) => {};\nfunction remove(req, res) {}\nmodule.exports = { list, show, remove };\n",
      "web/api.js":
        "export function load(id) {\n  return fetch(`/v1/users/\u0024{id}`);\n}\nexport const drop = (id) => axios.delete('/users/' + id);\nfetch('https://api.github.com/users/7');\n",
    },
    "GET /v1/users routes/users.js:4 → controller.js list",
    "GET /v1/users/{} routes/users.js:7 → controller.js show",
    "DELETE /v1/users/{} routes/users.js:8 → controller.js remove",
    "GET /health app.js:5 → ?",
    "use GET /v1/users/{} web/api.js:2 literal_key",
    "use DELETE /v1/users/{} web/api.js:4 partial_key",
  );
});

describe("Flask", () => {
  check(
    "blueprints with prefixes of their own and of their registration",
    {
      "app/__init__.py":
        "from flask import Flask\nfrom app.users import bp as users_bp\n\ndef create_app():\n    app = Flask(__name__)\n    app.register_blueprint(users_bp, url_prefix='/users')\n    return app\n",
      "app/users.py":
        "from flask import Blueprint\nbp = Blueprint('users', __name__)\n\n@bp.route('/<int:id>', methods=['GET', 'POST'])\n@login_required\ndef edit(id):\n    return ''\n",
      "app/admin.py":
        "from flask import Blueprint\nadmin = Blueprint('admin', __name__, url_prefix='/admin')\n\n@admin.get('/stats')\ndef stats():\n    \"\"\"Like @admin.get('/none').\"\"\"\n",
      "tests/test_users.py":
        "def test_edit(client):\n    client.post('/users/7', data={})\n    client.get('/admin/stats?day=1')\n",
      "app/templates/edit.html":
        '<form method="post" action="/users/{{ user.id }}"></form>\n<a href="/admin/stats">x</a>\n<link href="/main.css">\n',
    },
    "GET /users/{} app/users.py:4 → app/users.py edit",
    "POST /users/{} app/users.py:4 → app/users.py edit",
    "GET /admin/stats app/admin.py:4 → app/admin.py stats",
    "use POST /users/{} tests/test_users.py:2 partial_key",
    "use GET /admin/stats tests/test_users.py:3 literal_key",
    "use POST /users/{} app/templates/edit.html:1 literal_key",
    "use GET /admin/stats app/templates/edit.html:2 literal_key",
  );
});

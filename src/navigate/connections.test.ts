/** Routes to handlers and to the requests that reach them, on small trees in the shape of real applications. */
import { describe } from "vitest";
import { checkConnections } from "../../test/kit/connections.ts";
import type { Tree } from "../../test/kit/references.ts";

function check(what: string, tree: Tree, ...expected: string[]): void {
  checkConnections(what, "route", tree, ...expected);
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
        "@mock.patch('app.users.edit')\ndef test_edit(client):\n    client.post('/users/7', data={})\n    client.get('/admin/stats?day=1')\n",
      "app/templates/edit.html":
        '<form method="post" action="/users/{{ user.id }}"></form>\n<a href="/admin/stats">x</a>\n<link href="/main.css">\n',
    },
    "GET /users/{} app/users.py:4 → app/users.py edit",
    "POST /users/{} app/users.py:4 → app/users.py edit",
    "GET /admin/stats app/admin.py:4 → app/admin.py stats",
    "use POST /users/{} tests/test_users.py:3 partial_key",
    "use GET /admin/stats tests/test_users.py:4 literal_key",
    "use POST /users/{} app/templates/edit.html:1 literal_key",
    "use GET /admin/stats app/templates/edit.html:2 literal_key",
  );
});

describe("FastAPI and Django", () => {
  check(
    "routers with a prefix of their own, routes in a file that imports the router, settings as prefixes",
    {
      "app/users/__init__.py":
        "from fastapi import APIRouter\nrouter = APIRouter(prefix='/users')\nfrom app.users import views\n",
      "app/users/views.py":
        "from app.users import router\n\n@router.get('/{user_id}')\nasync def show(user_id: int):\n    pass\n",
      "app/main.py":
        "from fastapi import FastAPI\nfrom app.users import router as users\napp = FastAPI()\napp.include_router(users, prefix='/api')\n",
    },
    "GET /api/users/{} app/users/views.py:3 → app/users/views.py show",
  );
  check(
    "patterns that are included, view classes and view sets",
    {
      "site/urls.py": "from django.urls import include, path\nurlpatterns = [path('api/', include('shop.urls'))]\n",
      "shop/urls.py":
        "from django.urls import include, path, re_path\nfrom rest_framework import routers\nfrom . import views\nrouter = routers.DefaultRouter()\nrouter.register(r'orders', views.OrderSet)\nurlpatterns = [\n    re_path(r'^items/(?P<pk>[0-9]+)/$', views.Item.as_view()),\n    path('nested/', include([path('<int:pk>/', views.item)])),\n    path('', include(router.urls)),\n]\n",
      "shop/views.py":
        "class Item(View):\n    pass\n\nclass OrderSet(ViewSet):\n    pass\n\ndef item(request, pk):\n    pass\n",
    },
    "ANY /api/items/{} shop/urls.py:7 → shop/views.py Item",
    "ANY /api/nested/{} shop/urls.py:8 → shop/views.py item",
    "ANY /api/orders shop/urls.py:5 → shop/views.py OrderSet",
    "ANY /api/orders/{} shop/urls.py:5 → shop/views.py OrderSet",
  );
});

describe("annotations", () => {
  check(
    "of Nest, Spring and ASP.NET under the prefix of their class",
    {
      "users.controller.ts":
        "@Controller('users')\nexport class UsersController {\n  @Get(':id')\n  findOne(@Param('id') id: string) {}\n\n  @Post()\n  create() {}\n}\n",
      "Owners.java":
        'package a;\n\n@RestController\n@RequestMapping("/owners")\nclass Owners {\n  @GetMapping({ "/{id:.+}", "/by-id/{id}" })\n  Owner show(int id) { return null; }\n\n  @RequestMapping(value = "/new", method = RequestMethod.POST)\n  void add() {}\n}\n',
      "Orders.cs":
        'namespace A;\n\n[ApiController]\n[Route("api/[controller]")]\npublic class OrdersController : ControllerBase\n{\n    [HttpGet("{id:int}")]\n    public Order Show(int id) => null;\n\n    [HttpPut("/all/[action]")]\n    public void Sweep() {}\n}\n',
    },
    "GET /users/{} users.controller.ts:3 → users.controller.ts findOne",
    "POST /users users.controller.ts:6 → users.controller.ts create",
    "GET /owners/{} Owners.java:6 → Owners.java show",
    "GET /owners/by-id/{} Owners.java:6 → Owners.java show",
    "POST /owners/new Owners.java:9 → Owners.java add",
    "GET /api/Orders/{} Orders.cs:7 → Orders.cs Show",
    "PUT /all/Sweep Orders.cs:10 → Orders.cs Sweep",
  );
});

describe("prefixes of classes", () => {
  check(
    "inherited from a base class of ASP.NET and Spring, unless the class has its own or the path is absolute",
    {
      "BaseApi.cs": 'namespace A;\n\n[Route("api/[controller]")]\npublic class BaseApi : ControllerBase\n{\n}\n',
      "Carts.cs":
        'namespace A;\n\npublic class CartsController(ILogger log) : BaseApi\n{\n    [HttpGet("{id}")]\n    public Cart Show(int id) => null;\n\n    [HttpPost]\n    public void Add() {}\n\n    [HttpGet("/ping")]\n    public void Ping() {}\n}\n\n[Route("own")]\npublic class OwnController : BaseApi\n{\n    [HttpGet("x")]\n    public void X() {}\n}\n',
      "Base.java": 'package a;\n\n@RequestMapping("/v1")\nabstract class Base {}\n',
      "Owners.java":
        'package a;\n\n@RestController\nclass Owners extends Base {\n  @GetMapping("/owners")\n  Owner list() { return null; }\n}\n',
    },
    "GET /api/Carts/{} Carts.cs:5 → Carts.cs Show",
    "POST /api/Carts Carts.cs:8 → Carts.cs Add",
    "GET /ping Carts.cs:11 → Carts.cs Ping",
    "GET /own/x Carts.cs:18 → Carts.cs X",
    "GET /v1/owners Owners.java:5 → Owners.java list",
  );
  check(
    "with the versions of Nest",
    {
      "main.ts":
        "const app = await NestFactory.create(AppModule);\napp.enableVersioning({ defaultVersion: '1', type: VersioningType.URI });\napp.setGlobalPrefix('api');\n",
      "users.controller.ts":
        "@Controller('users')\nexport class UsersController {\n  @Get()\n  list() {}\n\n  @Get(':id')\n  @Version('2')\n  show() {}\n\n  @Version(VERSION_NEUTRAL)\n  @Post()\n  add() {}\n}\n",
    },
    "GET /api/v1/users users.controller.ts:3 → users.controller.ts list",
    "GET /api/v2/users/{} users.controller.ts:6 → users.controller.ts show",
    "POST /api/users users.controller.ts:11 → users.controller.ts add",
  );
});

describe("calls", () => {
  check(
    "groups of Gin that are handed to functions, nested routers of chi, patterns of net/http",
    {
      "go.mod": "module example.com/shop\n",
      "main.go":
        'package main\n\nimport "example.com/shop/users"\n\nfunc main() {\n\tr := gin.Default()\n\tv1 := r.Group("/v1")\n\tusers.Register(v1.Group("/users"))\n\tmux.HandleFunc("POST /jobs/{id}", run)\n\tc.Route("/admin", func(c chi.Router) {\n\t\tc.Get("/stats", run)\n\t})\n}\n\nfunc run() {}\n',
      "users/users.go":
        'package users\n\nfunc Register(g *gin.RouterGroup) {\n\tg.GET("/:id", auth, Show)\n}\n\nfunc Show(c *gin.Context) {}\n',
    },
    "GET /v1/users/{} users/users.go:4 → users/users.go Show",
    "POST /jobs/{} main.go:9 → main.go run",
    "GET /admin/stats main.go:11 → main.go run",
  );
  check(
    "method routers of Axum in nested routers",
    {
      "src/main.rs": 'mod users;\nfn app() -> Router {\n    Router::new().nest("/api", users::router())\n}\n',
      "src/users.rs":
        'use axum::routing::{get, post};\npub fn router() -> Router {\n    Router::new().route("/users/:id", get(show).delete(remove))\n}\nasync fn show() {}\nasync fn remove() {}\n',
    },
    "DELETE /api/users/{} src/users.rs:3 → src/users.rs remove",
    "GET /api/users/{} src/users.rs:3 → src/users.rs show",
  );
  check(
    "groups and resources of Laravel",
    {
      "routes/api.php":
        "<?php\nuse App\\Http\\UserController;\nRoute::prefix('v1')->middleware('auth')->group(function () {\n    Route::get('users/{user}', [UserController::class, 'show']);\n    Route::apiResource('posts', PostController::class)->only(['index', 'destroy']);\n});\nRoute::view('/help', 'pages.help');\n",
      "app/UserController.php": "<?php\nnamespace App\\Http;\nclass UserController { public function show() {} }\n",
      "app/PostController.php":
        "<?php\nnamespace App\\Http;\nclass PostController { public function index() {} public function destroy() {} }\n",
    },
    "GET /api/v1/users/{} routes/api.php:4 → app/UserController.php show",
    "GET /api/v1/posts routes/api.php:5 → app/PostController.php index",
    "DELETE /api/v1/posts/{} routes/api.php:5 → app/PostController.php destroy",
    "GET /api/help routes/api.php:7 → ?",
  );
});

describe("blocks", () => {
  check(
    "resources, namespaces, members and collections of Rails",
    {
      "config/routes.rb":
        'Rails.application.routes.draw do\n  root "home#index"\n  namespace :admin do\n    resources :users, only: [:show] do\n      post :ban, on: :member\n      collection do\n        get "search"\n      end\n    end\n  end\n  get "/about(/:page)" => "home#about"\n  namespace :api, path: nil do\n    resources :users, only: [:show]\n    resource :news, only: [:show]\n  end\n  get "/everyone", to: "users#index"\n  get :health, to: proc { [200, {}, []] }\nend\n',
      "app/controllers/api/users_controller.rb": "class Api::UsersController\nend\n",
      "app/controllers/api/news_controller.rb": "class Api::NewsController\n  def show; end\nend\n",
      "app/controllers/home_controller.rb": "class HomeController\n  def index; end\n\n  def about; end\nend\n",
      "app/controllers/admin/users_controller.rb":
        "class Admin::UsersController\n  def show; end\n\n  def ban; end\n\n  def search; end\n\n  def index; end\nend\n",
      "app/controllers/users_controller.rb": "class UsersController\n  def show; end\nend\n",
    },
    "GET / config/routes.rb:2 → app/controllers/home_controller.rb index",
    "GET /admin/users/{} config/routes.rb:4 → app/controllers/admin/users_controller.rb show",
    "POST /admin/users/{}/ban config/routes.rb:5 → app/controllers/admin/users_controller.rb ban",
    "GET /admin/users/search config/routes.rb:7 → app/controllers/admin/users_controller.rb search",
    "GET /about config/routes.rb:11 → app/controllers/home_controller.rb about",
    "GET /about/{} config/routes.rb:11 → app/controllers/home_controller.rb about",
    "GET /users/{} config/routes.rb:13 → app/controllers/api/users_controller.rb UsersController",
    "GET /news config/routes.rb:14 → app/controllers/api/news_controller.rb show",
    "GET /everyone config/routes.rb:16 → app/controllers/users_controller.rb UsersController",
    "GET /health config/routes.rb:17 → ?",
  );
  check(
    "scopes of Phoenix",
    {
      "lib/router.ex":
        'defmodule Web.Router do\n  use Web, :router\n\n  scope "/api", Web.API do\n    pipe_through :api\n    get "/users/:id", UserController, :show\n    resources "/keys", KeyController, only: [:delete]\n  end\nend\n',
      "lib/user_controller.ex": "defmodule Web.UserController do\n  def show(conn, _), do: conn\nend\n",
      "lib/api/user_controller.ex": "defmodule Web.API.UserController do\n  def show(conn, _), do: conn\nend\n",
      "lib/api/key_controller.ex": "defmodule Web.API.KeyController do\n  def delete(conn, _), do: conn\nend\n",
    },
    "GET /api/users/{} lib/router.ex:6 → lib/api/user_controller.ex show",
    "DELETE /api/keys/{} lib/router.ex:7 → lib/api/key_controller.ex delete",
  );
});

describe("Next", () => {
  check(
    "files of app and of pages/api",
    {
      "src/app/(shop)/orders/[id]/route.ts": "export async function GET() {}\nexport const POST = () => {};\n",
      "src/app/page.tsx": 'export default function Home() {\n  return <a href="/orders/7">x</a>;\n}\n',
      "pages/api/jobs/index.ts": "export default function run(req, res) {}\n",
    },
    "GET /orders/{} src/app/(shop)/orders/[id]/route.ts:1 → src/app/(shop)/orders/[id]/route.ts GET",
    "POST /orders/{} src/app/(shop)/orders/[id]/route.ts:2 → src/app/(shop)/orders/[id]/route.ts POST",
    "GET / src/app/page.tsx:1 → src/app/page.tsx Home",
    "ANY /api/jobs pages/api/jobs/index.ts:1 → pages/api/jobs/index.ts run",
    "use GET /orders/{} src/app/page.tsx:2 partial_key",
  );
});

describe("chi", () => {
  check(
    "routers that methods return, mounted where they are called",
    {
      "api/api.go":
        'package api\n\nimport (\n\t"example.com/shop/users"\n\t"github.com/go-chi/chi/v5"\n)\n\nfunc New() *chi.Mux {\n\tuserAPI := users.NewAPI()\n\tr := chi.NewRouter()\n\tr.Group(func(r chi.Router) {\n\t\tr.Mount("/api", userAPI.Router())\n\t})\n\tr.Get("/health", func(w http.ResponseWriter, _ *http.Request) {})\n\treturn r\n}\n',
      "go.mod": "module example.com/shop\n",
      "users/api.go":
        'package users\n\ntype API struct{ list *Lists }\n\nfunc NewAPI() *API { return &API{} }\n\nfunc (a *API) Router() *chi.Mux {\n\tr := chi.NewRouter()\n\tr.Mount("/users", a.list.router())\n\treturn r\n}\n',
      "users/lists.go":
        'package users\n\ntype Lists struct{}\n\nfunc (rs *Lists) router() *chi.Mux {\n\tr := chi.NewRouter()\n\tr.Get("/", rs.all)\n\tr.Route("/{id}", func(r chi.Router) {\n\t\tr.Delete("/", rs.remove)\n\t})\n\treturn r\n}\n\nfunc (rs *Lists) all(w http.ResponseWriter, r *http.Request) {}\nfunc (rs *Lists) remove(w http.ResponseWriter, r *http.Request) {}\n',
    },
    "GET /api/users users/lists.go:7 → users/lists.go all",
    "DELETE /api/users/{} users/lists.go:9 → users/lists.go remove",
    "GET /health api/api.go:14 → api/api.go New",
  );
});

describe("Gin", () => {
  check(
    "groups in a chain, lists of methods, and calls that make handlers",
    {
      "main.go":
        'package main\n\nfunc routes(h *Users) {\n\tg := gin.New()\n\tg.Group("/users").Use(optional).POST("", h.create)\n\tg.Match([]string{"GET", "HEAD"}, "/health", health)\n\tg.GET("/login", h.login())\n\tg.GET("/index.html", page("index.html", plain))\n}\n\nfunc health(c *gin.Context) {}\nfunc page(name string, change func(string) string) gin.HandlerFunc { return nil }\nfunc plain(s string) string { return s }\n\ntype Users struct{}\n\nfunc (h *Users) create(c *gin.Context) {}\nfunc (h *Users) login() gin.HandlerFunc { return nil }\n',
    },
    "POST /users main.go:5 → main.go create",
    "GET /health main.go:6 → main.go health",
    "HEAD /health main.go:6 → main.go health",
    "GET /login main.go:7 → main.go login",
    "GET /index.html main.go:8 → main.go page",
  );
});

describe("Koa", () => {
  check(
    "routers that are exported and mounted by their routes",
    {
      "routes/index.js":
        'const Router = require("koa-router");\nconst router = new Router();\nconst api = new Router();\nconst users = require("./users");\napi.use(users);\nrouter.use("/api", api.routes());\nmodule.exports = router;\n',
      "routes/users.js":
        'const Router = require("koa-router");\nconst { list } = require("../users");\nconst router = new Router();\nrouter.get("/users", list);\nmodule.exports = router.routes();\n',
      "users.js": "module.exports = {\n  async list(ctx) {},\n};\n",
    },
    "GET /api/users routes/users.js:4 → users.js list",
  );
});

describe("Actix", () => {
  check(
    "scopes in scopes, resources, configured functions and annotated ones",
    {
      "src/main.rs":
        'mod users;\n\npub fn api(cfg: &mut web::ServiceConfig) {\n    cfg.service(\n        web::scope("/api")\n            .service(web::scope("/tags").route("", web::get().to(tags)))\n            .service(web::resource("/ping").route(web::post().to(ping)))\n            .service(\n                web::scope("/posts")\n                    .route("/{id}", web::delete().to(users::remove)),\n            )\n            .service(web::scope("/shop").configure(users::configure).service(show)),\n    );\n}\n\nasync fn tags() {}\nasync fn ping() {}\n\n#[get("/show")]\nasync fn show() {}\n',
      "src/users.rs":
        'pub fn configure(cfg: &mut web::ServiceConfig) {\n    cfg.route("/users", web::get().to(list));\n}\n\nasync fn list() {}\npub async fn remove() {}\n',
    },
    "GET /api/tags src/main.rs:6 → src/main.rs tags",
    "POST /api/ping src/main.rs:7 → src/main.rs ping",
    "DELETE /api/posts/{} src/main.rs:10 → src/users.rs remove",
    "GET /api/shop/users src/users.rs:2 → src/users.rs list",
    "GET /api/shop/show src/main.rs:19 → src/main.rs show",
  );
});

describe("Symfony", () => {
  check(
    "attributes under the prefix of the configuration, and routes that it lists",
    {
      "config/routes.yaml":
        "home:\n    path: /{_locale}\n    controller: App\\Controller\\HomeController::show\n    methods: [GET]\n\ncontrollers:\n    resource: routing.controllers\n    prefix: /{_locale}\n",
      "config/routes/dev.yaml":
        "when@dev:\n    _errors:\n        resource: '@FrameworkBundle/errors.php'\n        prefix: /_error\n",
      "src/Controller/HomeController.php":
        "<?php\nnamespace App\\Controller;\n#[Route('/posts')]\nclass HomeController {\n    #[Route('/{slug:post}', name: 'post', methods: ['GET'])]\n    public function post() {}\n    public function show() {}\n}\n",
    },
    "GET /{} config/routes.yaml:1 → src/Controller/HomeController.php show",
    "GET /{}/posts/{} src/Controller/HomeController.php:5 → src/Controller/HomeController.php post",
  );
});

describe("Django REST framework", () => {
  check(
    "each router under its own prefix",
    {
      "shop/urls.py":
        'from django.urls import include, path\nfrom shop.api import routes\nfrom shop import feeds\n\nurlpatterns = [\n    path("api/tags/", include(routes.tag_router.urls)),\n    path("api/users/", include(routes.user_router.urls)),\n    path("feed", feeds.AllFeed()),\n]\n',
      "shop/api/routes.py":
        'from shop.views import TagViewSet, UserViewSet\ntag_router = SimpleRouter()\ntag_router.register("", TagViewSet)\nuser_router = SimpleRouter()\nuser_router.register("", UserViewSet)\n',
      "shop/feeds.py": "class AllFeed:\n    pass\n",
      "shop/views.py": "class TagViewSet:\n    pass\n\nclass UserViewSet:\n    pass\n",
      "shop/__init__.py": "",
      "shop/api/__init__.py": "",
    },
    "ANY /api/tags shop/api/routes.py:3 → shop/views.py TagViewSet",
    "ANY /api/tags/{} shop/api/routes.py:3 → shop/views.py TagViewSet",
    "ANY /api/users shop/api/routes.py:5 → shop/views.py UserViewSet",
    "ANY /api/users/{} shop/api/routes.py:5 → shop/views.py UserViewSet",
    "ANY /feed shop/urls.py:8 → shop/feeds.py AllFeed",
  );
});

describe("paths in constants", () => {
  check(
    "of an enum that another file imports",
    {
      "src/enum.ts": "export enum RouteKey {\n  Asset = 'assets',\n}\n",
      "src/assets.ts":
        "import { RouteKey } from './enum';\n@Controller(RouteKey.Asset)\nexport class Assets {\n  @Get(':id')\n  show() {}\n}\n",
    },
    "GET /assets/{} src/assets.ts:4 → src/assets.ts show",
  );
  check(
    "of settings, and of the file, in routers of an own class",
    {
      "app/config.py": "class Settings(BaseSettings):\n    API_V1_STR: str = '/api/v1'\n\nsettings = Settings()\n",
      "app/main.py":
        "from fastapi import FastAPI\nfrom app.config import settings\nfrom app import users\napp = FastAPI()\napp.include_router(users.router, prefix=settings.API_V1_STR)\n",
      "app/users.py":
        "from app.base import UserAPIRouter\nbase = '/users'\nrouter = UserAPIRouter(prefix=f'{base}/all')\n\n@router.get('/{id}')\ndef show(id):\n    pass\n",
    },
    "GET /api/v1/users/all/{} app/users.py:5 → app/users.py show",
  );
  check(
    "of a package, for a router that other files hand on; one name for several groups; functions in variables",
    {
      "server/routes.go":
        'package server\n\nimport (\n\t"x/internal/api"\n\t"github.com/gin-gonic/gin"\n)\n\nvar APIv1 *gin.RouterGroup\n\nfunc registerRoutes() {\n\tapi.GetSession(APIv1)\n}\n',
      "server/start.go":
        'package server\n\nimport "x/internal/config"\n\nfunc Start(conf *config.Config) {\n\trouter := gin.New()\n\tAPIv1 = router.Group(conf.BaseUri(config.ApiUri), Api(conf))\n\trouter.GET(conf.BaseUri("/health"), func(c *gin.Context) {})\n}\n',
      "internal/api/session.go":
        'package api\n\nimport "github.com/gin-gonic/gin"\n\nfunc GetSession(router *gin.RouterGroup) {\n\th := func(c *gin.Context) {}\n\trouter.GET("/session", h)\n}\n',
      "internal/config/config.go": 'package config\n\nconst ApiUri = "/api/v1"\n',
      "go.mod": "module x\n",
      "server/echo.go":
        'package server\n\nfunc Two(e *echo.Echo) {\n\tg := e.Group("/one")\n\tg.GET("/x", show)\n}\n\nfunc Three(e *echo.Echo) {\n\tg := e.Group("/two")\n\tg.GET("/x", show)\n}\n\nfunc show() {}\n',
    },
    "GET /api/v1/session internal/api/session.go:7 → internal/api/session.go GetSession",
    "GET /health server/start.go:8 → server/start.go Start",
    "GET /one/x server/echo.go:5 → server/echo.go show",
    "GET /two/x server/echo.go:10 → server/echo.go show",
  );
  check(
    "that are joined with the result of a call",
    {
      "routes/web.php": "<?php\nRoute::post('/hook/'.config('services.token'), [HookController::class, 'store']);\n",
      "app/HookController.php": "<?php\nclass HookController {\n    public function store() {}\n}\n",
    },
    "POST /hook/{} routes/web.php:2 → app/HookController.php store",
  );
});

describe("routers of an application's own", () => {
  check(
    "functions that put a prefix before a path, and methods that hand on what they are given",
    {
      "api.py":
        "from flask_restful import Api\nclass ScopedApi(Api):\n    def add_scoped_resource(self, resource, *urls, **kwargs):\n        return self.add_resource(resource, *[scoped(url) for url in urls], **kwargs)\n\napi = ScopedApi()\napi.add_scoped_resource(Alerts, '/api/alerts', '/api/alerts/<id>', endpoint='alerts')\n\n@routes.route(scoped('/login'), methods=['POST'])\ndef login():\n    pass\n\nclass Alerts:\n    pass\n",
    },
    "ANY /api/alerts api.py:7 → api.py Alerts",
    "ANY /api/alerts/{} api.py:7 → api.py Alerts",
    "POST /login api.py:9 → api.py login",
  );
  check(
    "classes that define routes and mount each other, and tables of routes",
    {
      "src/index.ts":
        "import { Admin } from './admin.js';\nimport Controller from './controller.js';\nclass Index extends Controller {\n  constructor(config) {\n    super(config);\n    this.use('/api/admin', new Admin(config).router);\n    this.get('/health', this.health, NONE);\n  }\n  health() {}\n}\n",
      "src/admin.ts":
        "import Controller from './controller.js';\nimport { Users } from './users.js';\nexport class Admin extends Controller {\n  constructor(config) {\n    super(config);\n    this.app.use('/users', new Users(config).router);\n  }\n}\n",
      "src/users.ts":
        "import Controller from './controller.js';\nconst PATH = '/:id';\nexport class Users extends Controller {\n  constructor(config) {\n    super(config);\n    this.route({ method: 'get', path: PATH, handler: this.show });\n    this.route({ method: 'put', path: `\u0024{PATH}/name`, handler: this.rename });\n  }\n  show() {}\n  rename() {}\n}\n",
      "src/table.js":
        "const users = require('./list');\nmodule.exports = {\n  'get /api/v1/users': { authenticated: true, controller: users.list },\n  'post /api/v1/users': users.create,\n};\nserver.route([{ method: 'GET', path: '/ping', handler: users.list }]);\nclient.send({ method: 'GET', url: '/other' });\n",
      "src/list.js": "exports.list = function () {};\nexports.create = function () {};\n",
      "src/controller.ts": "export default class Controller {}\n",
    },
    "GET /health src/index.ts:7 → src/index.ts health",
    "GET /api/v1/users src/table.js:3 → src/list.js list",
    "POST /api/v1/users src/table.js:4 → src/list.js create",
    "GET /ping src/table.js:6 → src/list.js list",
    "GET /api/admin/users/{} src/users.ts:6 → src/users.ts show",
    "PUT /api/admin/users/{}/name src/users.ts:7 → src/users.ts rename",
  );
});

describe("Echo", () => {
  check(
    "paths that are joined, and handlers in functions that take an option",
    {
      "main.go":
        'package main\n\nconst uriAdmin = "/admin"\n\nfunc routes(e *echo.Echo, a *App) {\n\tg := e.Group("", auth)\n\tg.GET(path.Join(uriAdmin, "/custom.css"), a.Custom)\n\tg.GET(path.Join(uriAdmin, ""), a.Custom)\n\tg.POST("/wipe/:id", hasID(allow(a.Wipe, "wipe"), "id"))\n\tg.GET("/f", serveFile("index.html"))\n}\n\nfunc (a *App) Custom() {}\n\nfunc (a *App) Wipe() {}\n\nfunc serveFile(x string) {}\n',
    },
    "GET /admin/custom.css main.go:7 → main.go Custom",
    "GET /admin main.go:8 → main.go Custom",
    "POST /wipe/{} main.go:9 → main.go Wipe",
    "GET /f main.go:10 → main.go serveFile",
  );
});

describe("resources", () => {
  check(
    "actions of view sets and of their bases, routers among patterns, views in decorators",
    {
      "shop/urls.py":
        "from rest_framework.routers import DefaultRouter\nfrom shop.views import OrderViewSet\napi_router = DefaultRouter()\napi_router.register('orders', OrderViewSet)\nurlpatterns = [\n    re_path('^api/', include([\n        re_path('^stats/$', login_required(csrf(Stats.as_view()))),\n        *api_router.urls,\n    ])),\n]\n",
      "shop/views.py":
        "class Base(ModelViewSet):\n    @action(detail=False)\n    def recent(self, request):\n        pass\n\nclass OrderViewSet(Base):\n    @action(methods=['post', 'delete'], detail=True, url_path='close-it')\n    def close(self, request, pk):\n        pass\n\nclass Stats(View):\n    pass\n",
    },
    "ANY /api/orders shop/urls.py:4 → shop/views.py OrderViewSet",
    "ANY /api/orders/{} shop/urls.py:4 → shop/views.py OrderViewSet",
    "ANY /api/stats shop/urls.py:7 → shop/views.py Stats",
    "GET /api/orders/recent shop/views.py:2 → shop/views.py recent",
    "DELETE /api/orders/{}/close-it shop/views.py:7 → shop/views.py close",
    "POST /api/orders/{}/close-it shop/views.py:7 → shop/views.py close",
  );
  check(
    "usual actions in a collection of Rails, and controllers that only other modules have",
    {
      "config/routes.rb":
        "Rails.application.routes.draw do\n  resources :members, only: [:index] do\n    collection do\n      delete :destroy\n      get :search\n    end\n    post :clone\n  end\n  resource :app, only: [] do\n    resources :accounts, only: [:show]\n  end\nend\n",
      "app/controllers/members_controller.rb":
        "class MembersController\n  def index; end\n  def destroy; end\n  def search; end\nend\n",
      "app/controllers/admin/accounts_controller.rb": "class Admin::AccountsController\n  def show; end\nend\n",
      "app/controllers/api/accounts_controller.rb": "class Api::AccountsController\n  def show; end\nend\n",
    },
    "GET /members config/routes.rb:2 → app/controllers/members_controller.rb index",
    "DELETE /members config/routes.rb:4 → app/controllers/members_controller.rb destroy",
    "GET /members/search config/routes.rb:5 → app/controllers/members_controller.rb search",
    "POST /members/{}/clone config/routes.rb:7 → app/controllers/members_controller.rb MembersController",
    "GET /app/accounts/{} config/routes.rb:10 → ?",
  );
});
